//! Scalar operands and the immediates that have a text of their own: wait counts, hardware registers, messages.

use super::Printer;
use crate::isa::{Operand, Role, Type};

const HARDWARE_REGISTERS: [&str; 16] = [
    "",
    "HW_REG_MODE",
    "HW_REG_STATUS",
    "HW_REG_TRAPSTS",
    "HW_REG_HW_ID",
    "HW_REG_GPR_ALLOC",
    "HW_REG_LDS_ALLOC",
    "HW_REG_IB_STS",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "HW_REG_SH_MEM_BASES",
];

impl Printer<'_> {
    pub(super) fn scalar_operand(&mut self, index: usize, operand: &Operand) {
        let immediate = self.inst.words[0] as u16;
        match operand.ty {
            Type::Branch => self.put(format_args!("{immediate}")),
            Type::Hwreg => self.hardware_register(immediate),
            Type::WaitCounts => self.wait_counts(immediate),
            Type::Message => self.message(immediate),
            Type::GprIndex if operand.role == Role::Src1 => self.gpr_index(self.inst.operands[index].0),
            Type::GprIndex => self.gpr_index(immediate),
            Type::Number if immediate == 0 => {}
            Type::Number => self.put(format_args!("{immediate}")),
            Type::I16 | Type::U16 if operand.role == Role::Simm16 && self.inst.encoding == crate::isa::Encoding::Sopk => {
                self.put(format_args!("{immediate:#x}"))
            }
            _ if operand.role == Role::Simm16 => self.put(format_args!("{immediate}")),
            _ => self.plain(index, operand),
        }
    }

    fn hardware_register(&mut self, immediate: u16) {
        let (id, offset, size) = (immediate & 63, immediate >> 6 & 31, (immediate >> 11) + 1);
        let name = HARDWARE_REGISTERS.get(usize::from(id)).copied().unwrap_or_default();
        self.text.push_str("hwreg(");
        if name.is_empty() {
            self.put(format_args!("{id}"));
        } else {
            self.text.push_str(name);
        }
        if (offset, size) != (0, 32) {
            self.put(format_args!(", {offset}, {size}"));
        }
        self.text.push(')');
    }

    fn wait_counts(&mut self, immediate: u16) {
        let counters = [
            ("vmcnt", immediate & 15 | immediate >> 10 & 0x30, 63),
            ("expcnt", immediate >> 4 & 7, 7),
            ("lgkmcnt", immediate >> 8 & 15, 15),
        ];
        let all = counters.iter().all(|(_, count, most)| count == most);
        let mut separator = "";
        for (name, count, most) in counters {
            if all || count != most {
                self.put(format_args!("{separator}{name}({count})"));
                separator = " ";
            }
        }
    }

    fn message(&mut self, immediate: u16) {
        self.put(format_args!("sendmsg({}, {}, {})", immediate & 15, immediate >> 4 & 7, immediate >> 8 & 3));
    }

    /// The operands that VGPR indexing applies to.
    fn gpr_index(&mut self, immediate: u16) {
        if immediate > 15 {
            self.put(format_args!("{immediate:#x}"));
            return;
        }
        self.text.push_str("gpr_idx(");
        let mut separator = "";
        for (bit, name) in ["SRC0", "SRC1", "SRC2", "DST"].into_iter().enumerate() {
            if immediate >> bit & 1 != 0 {
                self.put(format_args!("{separator}{name}"));
                separator = ",";
            }
        }
        self.text.push(')');
    }
}
