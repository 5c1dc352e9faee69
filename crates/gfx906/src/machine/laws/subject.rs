//! Subjects of the laws: every executed row of the table, in every form.

use crate::isa::{Encoding, Form, Row, rows};

/// A row in a form.
#[derive(Clone, Copy)]
pub struct Subject {
    /// The encoding under which the table lists the row.
    pub encoding: Encoding,
    /// The row.
    pub row: &'static Row,
    /// The form.
    pub form: Form,
}

impl Subject {
    /// Returns the mnemonic, and the form unless it is the native one.
    pub fn name(&self) -> String {
        match self.form {
            Form::Native => self.row.mnemonic.to_owned(),
            form => format!("{} ({form:?})", self.row.mnemonic),
        }
    }
}

/// Iterates over every executed row, in every form.
pub fn subjects() -> impl Iterator<Item = Subject> {
    rows()
        .filter(|(_, row)| row.semantics.is_some())
        .flat_map(|(encoding, row)| {
            let forms = Form::ALL.into_iter();
            forms
                .filter(move |form| row.has_form(encoding, *form))
                .map(move |form| Subject {
                    encoding,
                    row,
                    form,
                })
        })
}
