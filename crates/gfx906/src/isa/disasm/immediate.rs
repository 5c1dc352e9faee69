//! Printing of scalar operands, and of immediates with a syntax of their own: wait counts, hardware registers, messages.

use super::Printer;
use crate::isa::{Operand, Role, Type};

/// Names of the hardware registers, by number.
const HARDWARE_REGISTERS: &[(u16, &str)] = &[
    (1, "MODE"),
    (2, "STATUS"),
    (3, "TRAPSTS"),
    (4, "HW_ID"),
    (5, "GPR_ALLOC"),
    (6, "LDS_ALLOC"),
    (7, "IB_STS"),
    (15, "SH_MEM_BASES"),
    (16, "TBA_LO"),
    (17, "TBA_HI"),
    (18, "TMA_LO"),
    (19, "TMA_HI"),
];

/// Messages without operation or stream fields.
const MESSAGES: &[(u16, &str)] = &[
    (1, "MSG_INTERRUPT"),
    (4, "MSG_SAVEWAVE"),
    (5, "MSG_STALL_WAVE_GEN"),
    (6, "MSG_HALT_WAVES"),
    (7, "MSG_ORDERED_PS_DONE"),
    (8, "MSG_EARLY_PRIM_DEALLOC"),
    (9, "MSG_GS_ALLOC_REQ"),
    (10, "MSG_GET_DOORBELL"),
];

impl Printer<'_> {
    pub(super) fn print_scalar_operand(&mut self, index: usize, operand: &Operand) {
        let immediate = self.inst.words[0] as u16;
        match operand.ty {
            Type::Branch => self.put(format_args!("{immediate}")),
            Type::Hwreg => self.print_hardware_register(immediate),
            Type::WaitCounts => self.print_wait_counts(immediate),
            Type::Message => self.print_message(immediate),
            Type::GprIndex if operand.role == Role::Src1 => {
                self.print_gpr_index(self.inst.operands[index].0)
            }
            Type::GprIndex => self.print_gpr_index(immediate),
            Type::Number if immediate == 0 => {}
            Type::Number => self.put(format_args!("{immediate}")),
            Type::I16 | Type::U16
                if operand.role == Role::Simm16
                    && self.inst.encoding == crate::isa::Encoding::Sopk =>
            {
                self.put(format_args!("{immediate:#x}"))
            }
            _ if operand.role == Role::Simm16 => self.print_number(u64::from(immediate), Type::I32),
            _ => self.print_plain_operand(index, operand),
        }
    }

    fn print_hardware_register(&mut self, immediate: u16) {
        let (id, offset, size) = (immediate & 63, immediate >> 6 & 31, (immediate >> 11) + 1);
        match HARDWARE_REGISTERS.iter().find(|(number, _)| *number == id) {
            Some((_, name)) => self.put(format_args!("hwreg(HW_REG_{name}")),
            None => self.put(format_args!("hwreg({id}")),
        }
        if (offset, size) != (0, 32) {
            self.put(format_args!(", {offset}, {size}"));
        }
        self.text.push(')');
    }

    fn print_wait_counts(&mut self, immediate: u16) {
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

    /// Prints a message by its name if it has one, else by its fields, else as a number.
    fn print_message(&mut self, immediate: u16) {
        let (id, operation, stream) = (immediate & 15, immediate >> 4 & 7, immediate >> 8 & 3);
        let simple = MESSAGES.iter().find(|(number, _)| *number == id);
        match (id, operation, stream) {
            (_, 0, 0) if simple.is_some() => self.put(format_args!(
                "sendmsg({})",
                simple.map_or("", |(_, name)| name)
            )),
            (3, 0, 0) => self.text.push_str("sendmsg(MSG_GS_DONE, GS_OP_NOP)"),
            (2..=3, 1..=3, _) => {
                let name = if id == 2 { "MSG_GS" } else { "MSG_GS_DONE" };
                let operation =
                    ["GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"][usize::from(operation - 1)];
                self.put(format_args!("sendmsg({name}, {operation}, {stream})"));
            }
            (15, 1, 0) => self
                .text
                .push_str("sendmsg(MSG_SYSMSG, SYSMSG_OP_ECC_ERR_INTERRUPT)"),
            (15, 2, 0) => self.text.push_str("sendmsg(MSG_SYSMSG, SYSMSG_OP_REG_RD)"),
            (15, 4, 0) => self
                .text
                .push_str("sendmsg(MSG_SYSMSG, SYSMSG_OP_TTRACE_PC)"),
            _ if immediate & !0x37f == 0 => {
                self.put(format_args!("sendmsg({id}, {operation}, {stream})"))
            }
            _ => self.put(format_args!("{immediate}")),
        }
    }

    /// Prints the operand kinds that VGPR indexing applies to.
    fn print_gpr_index(&mut self, immediate: u16) {
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
