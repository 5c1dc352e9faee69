//! Reading a binding's tensors from TOML: types, layouts, shared buffers, scratch.

use super::Reader;
use crate::binding::formula::parse_part;
use crate::binding::{DeclaredTensor, FileValue, IndexTensor, LayoutSpec};
use crate::document::{self, Table, array, bad, string, unknown};
use crate::tensor::ElementKind;

impl Reader<'_, '_> {
    pub(super) fn types(&mut self, table: &Table<'_>) -> Vec<(FileValue<String>, ElementKind)> {
        let entries = self.entries(table, "types");
        let mut types = Vec::new();
        for (name, value) in entries {
            let kind = string(value, self.out).and_then(|word| self.kind(value, word));
            types.extend(kind.map(|kind| (name, kind)));
        }
        types
    }

    fn kind(&mut self, value: document::SpannedValue<'_>, word: &str) -> Option<ElementKind> {
        let kind = ElementKind::ALL
            .into_iter()
            .find(|kind| kind.name() == word);
        if kind.is_none() {
            let names = ElementKind::ALL.map(ElementKind::name);
            self.out
                .push(unknown(value.span(), "type of elements", word, &names));
        }
        kind
    }

    pub(super) fn layouts(&mut self, table: &Table<'_>) -> Vec<(FileValue<String>, LayoutSpec)> {
        let entries = self.entries(table, "layout");
        let mut layouts = Vec::new();
        for (name, value) in entries {
            let (axes, pitch) = if value.get_ref().is_table() {
                let Some(table) = Table::of("layout", value, &["axes", "pitch"], self.out) else {
                    continue;
                };
                let axes = table.need("axes", "`axes = \"...\"`, the outermost first", self.out);
                (
                    axes,
                    table.get("pitch").and_then(|value| self.formula(value)),
                )
            } else {
                (Some(value), None)
            };
            let Some((axes, text)) = axes.and_then(|axes| Some((axes, string(axes, self.out)?)))
            else {
                continue;
            };
            let words = text.split_whitespace().map(Into::into).collect();
            let axes = FileValue {
                span: axes.span(),
                value: words,
            };
            layouts.push((name, LayoutSpec { axes, pitch }));
        }
        layouts
    }

    /// Reads `final = "initial"`.
    pub(super) fn starts(
        &mut self,
        table: &Table<'_>,
    ) -> Vec<(FileValue<String>, FileValue<String>)> {
        let entries = self.entries(table, "start");
        let mut starts = Vec::new();
        for (output, value) in entries {
            let input = string(value, self.out).map(|input| FileValue {
                span: value.span(),
                value: input.to_owned(),
            });
            starts.extend(input.map(|input| (output, input)));
        }
        starts
    }

    /// Reads `results = ["o", "final"]`.
    pub(super) fn buffers(
        &mut self,
        table: &Table<'_>,
    ) -> Vec<(FileValue<String>, Vec<FileValue<String>>)> {
        let entries = self.entries(table, "buffers");
        let mut buffers = Vec::new();
        for (name, value) in entries {
            let mut parts = Vec::new();
            for part in array(value, self.out) {
                let text = string(part, self.out);
                parts.extend(text.map(|text| FileValue {
                    span: part.span(),
                    value: text.to_owned(),
                }));
            }
            if parts.len() < 2 {
                self.out.push(bad(
                    value,
                    "a buffer holds several tensors",
                    "fewer than two",
                    "name two or more, in the order in which they stand",
                ));
            }
            buffers.push((name, parts));
        }
        buffers
    }

    /// Reads `G = "f64[B, T, HV]"`.
    pub(super) fn scratch(&mut self, table: &Table<'_>) -> Vec<DeclaredTensor> {
        let entries = self.entries(table, "scratch");
        let mut scratch = Vec::new();
        for (name, value) in entries {
            let Some(text) = string(value, self.out) else {
                continue;
            };
            let is_whole = text.trim_end().ends_with(']');
            match text.rsplit_once(']').filter(|_| is_whole) {
                Some((text, _)) => scratch.extend(self.declared(name, value, text)),
                None => self.no_tensor(value, "f32[B, T, K]"),
            }
        }
        scratch
    }

    /// Reads `cu = "i64[N + 1] = prefix_sum(lengths)"`.
    pub(super) fn indices(&mut self, table: &Table<'_>) -> Vec<IndexTensor> {
        const FORM: &str = "i64[N + 1] = prefix_sum(lengths)";
        let entries = self.entries(table, "tensors");
        let mut indices = Vec::new();
        for (name, value) in entries {
            let Some(text) = string(value, self.out) else {
                continue;
            };
            let parts = closing(text).and_then(|close| {
                let behind = &text[close + 1..];
                let formula = behind.trim_start().strip_prefix('=')?;
                Some((&text[..close], formula))
            });
            let Some((shape, formula)) = parts else {
                self.no_tensor(value, FORM);
                continue;
            };
            let Some(declared) = self.declared(name, value, shape) else {
                continue;
            };
            if declared.kind.is_float() {
                let title = format!("`{}` is of {}", declared.name.value, declared.kind.name());
                let help = "formulas make whole numbers: write i32 or i64, or take `scratch`";
                self.out.push(bad(value, &title, "no whole numbers", help));
                continue;
            }
            let formula = parse_part(formula, text.len() - formula.len());
            if let Some(formula) = self.kept(value, formula) {
                indices.push(IndexTensor { declared, formula });
            }
        }
        indices
    }

    fn no_tensor(&mut self, value: document::SpannedValue<'_>, form: &str) {
        let help = format!("write it as `{form}`");
        self.out
            .push(bad(value, "this is no tensor", "here", &help));
    }

    /// Reads the type and the axes of a tensor from the text before the closing bracket, which begins where the value does.
    fn declared(
        &mut self,
        name: FileValue<String>,
        value: document::SpannedValue<'_>,
        text: &str,
    ) -> Option<DeclaredTensor> {
        let Some((kind, sides)) = text.split_once('[') else {
            self.no_tensor(value, "f32[B, T, K]");
            return None;
        };
        let kind = self.kind(value, kind.trim())?;
        let start = text.len() - sides.len();
        let lengths = split(sides).into_iter().map(|side| {
            let within = side.as_ptr().addr() - sides.as_ptr().addr();
            self.kept(value, parse_part(side, start + within))
        });
        Some(DeclaredTensor {
            lengths: lengths.collect::<Option<_>>()?,
            name,
            kind,
        })
    }
}

/// Returns the place of the bracket that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0i32;
    text.char_indices().find_map(|(at, c)| {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        (c == ']' && depth == 0).then_some(at)
    })
}

/// Splits a text at the commas that stand outside parentheses and brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
