//! The instruction formats of gfx9, named as in the ISA manual.

use std::fmt;

/// An instruction format: the fields of the words and their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the manual's own")]
pub enum Encoding {
    Sop1,
    Sop2,
    Sopk,
    Sopc,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    Vop3,
    Vop3p,
    Vintrp,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
    Mtbuf,
    Mimg,
    Exp,
}

impl Encoding {
    /// Every encoding, in the manual's order.
    pub const ALL: [Encoding; 20] = [
        Encoding::Sop2,
        Encoding::Sopk,
        Encoding::Sop1,
        Encoding::Sopc,
        Encoding::Sopp,
        Encoding::Smem,
        Encoding::Vop2,
        Encoding::Vop1,
        Encoding::Vopc,
        Encoding::Vop3,
        Encoding::Vop3p,
        Encoding::Vintrp,
        Encoding::Ds,
        Encoding::Mubuf,
        Encoding::Mtbuf,
        Encoding::Mimg,
        Encoding::Flat,
        Encoding::Global,
        Encoding::Scratch,
        Encoding::Exp,
    ];

    /// Returns true if the vector ALU executes the encoding.
    pub fn is_vector_alu(self) -> bool {
        matches!(
            self,
            Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc | Encoding::Vop3 | Encoding::Vop3p
        )
    }

    /// Returns true for buffer and flat instructions, which access memory per lane. Images, which do so too, are not among them.
    pub fn is_vector_memory(self) -> bool {
        matches!(
            self,
            Encoding::Mubuf
                | Encoding::Mtbuf
                | Encoding::Flat
                | Encoding::Global
                | Encoding::Scratch
        )
    }

    /// Returns true if a vector unit executes the encoding.
    pub fn is_vector(self) -> bool {
        self.is_vector_alu()
            || self.is_vector_memory()
            || matches!(
                self,
                Encoding::Ds | Encoding::Vintrp | Encoding::Mimg | Encoding::Exp
            )
    }
}

/// Form in which a row of VOP1, VOP2 or VOPC is encoded. Every other encoding has one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// The encoding's own words (`_e32` where a row has several forms).
    #[default]
    Native,
    /// VOP1, VOP2 or VOPC in the 64-bit VOP3 encoding (`_e64`).
    E64,
    /// The form with sub-dword addressing.
    Sdwa,
    /// The form with data-parallel primitives, which reads sources from other lanes.
    Dpp,
}

impl fmt::Display for Encoding {
    /// Prints the manual's name, which is in capitals.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&format!("{self:?}").to_uppercase())
    }
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 4] = [Form::Native, Form::E64, Form::Sdwa, Form::Dpp];
}
