//! Buffers against what the launch file expects of them, by the judge of the tests.

use anyhow::{Context as _, anyhow, bail};

use super::array::{Array, Layout};
use super::buffer::{Buffer, Source};
use super::buffers::{self, PlacedBuffer};
use super::elements::{self, JudgedType};
use super::expect::Expectation;
use super::launch::LaunchFile;
use super::shapes::{axes, guessed};
use crate::compare::{NamedInput, OutputCase, accepted_trivially, judge_output};
use crate::device::Session;
use crate::report::model::{Metrics, OutputReport, Verdict};
use crate::tensor::Axis;
use crate::tensor::npy::Dtype;
use crate::tensor::{Element, ElementKind, with_element};

/// An expectation that can be judged.
pub(super) struct PreparedExpectation<'a> {
    buffer: &'a Buffer,
    index: usize,
    expectation: &'a Expectation,
    judged: JudgedType,
    axes: Vec<Axis>,
    /// The right values, of the buffer's type or of another float.
    want: Vec<u8>,
    want_dtype: Dtype,
}

/// Elements that are judged together: a buffer, or a piece of one.
struct JudgedPart<'a> {
    name: &'a str,
    axes: &'a [Axis],
    want: &'a [u8],
    got: &'a [u8],
}

/// The contents of a buffer before the launches, so that an output that is a copy of it is reported as one.
pub(super) struct Before<'a> {
    buffer: &'a Buffer,
    dtype: Dtype,
    bytes: Vec<u8>,
}

/// Reads what is expected. Nothing has run yet: what cannot be judged is known now.
pub(super) fn prepare<'a>(
    session: &mut dyn Session,
    file: &'a LaunchFile,
    placed: &[PlacedBuffer],
) -> anyhow::Result<Vec<PreparedExpectation<'a>>> {
    let one = |expectation: &'a Expectation| {
        let (buffer, placed) = (
            &file.buffers[expectation.buffer],
            &placed[expectation.buffer],
        );
        let expected = PreparedExpectation::new(expectation, buffer, placed);
        let expected = expected.with_context(|| format!("expect.{}", buffer.name))?;
        if let Source::Poison(_) = buffer.source {
            let kind = expected.judged.kind_of_memory();
            session.poison(placed.address, placed.bytes, kind)?;
        }
        Ok(expected)
    };
    file.expect.iter().map(one).collect()
}

/// Reads the buffers that came from files and have as many elements as a buffer that is judged.
pub(super) fn before<'a>(
    session: &mut dyn Session,
    file: &'a LaunchFile,
    placed: &[PlacedBuffer],
    expected: &[PreparedExpectation<'_>],
) -> anyhow::Result<Vec<Before<'a>>> {
    let mut all = Vec::new();
    for (buffer, placed) in file.buffers.iter().zip(placed) {
        let Some(Layout { dtype, .. }) = placed.layout else {
            continue;
        };
        let count = placed.bytes / dtype.size as u64;
        let alike = |one: &PreparedExpectation<'_>| !one.is_exact() && one.count() as u64 == count;
        if matches!(buffer.source, Source::File(_))
            && JudgedType::of(dtype).is_some()
            && expected.iter().any(alike)
        {
            let bytes = buffers::read(session, placed)?;
            all.push(Before {
                buffer,
                dtype,
                bytes,
            });
        }
    }
    Ok(all)
}

impl<'a> PreparedExpectation<'a> {
    fn new(
        expectation: &'a Expectation,
        buffer: &'a Buffer,
        placed: &PlacedBuffer,
    ) -> anyhow::Result<PreparedExpectation<'a>> {
        let Array { data, layout } = expectation.file.read()?;
        let file = expectation.file.shown();
        let bytes = usize::try_from(placed.known_bytes())?;
        let stated = buffer
            .dtype
            .or(placed.layout.as_ref().map(|layout| layout.dtype));
        let dtype = match (stated, &layout) {
            (Some(dtype), _) => dtype,
            (None, Some(layout)) => guessed(layout, data.len(), bytes).with_context(|| {
                format!(
                    "{file}: what type buffer `{}` has is not clear: give it a `dtype`",
                    buffer.name
                )
            })?,
            (None, None) => Dtype::F32,
        };
        let judged = JudgedType::of(dtype).ok_or_else(|| {
            anyhow!(
                "elements of type {} are not judged: give the buffer a `dtype`",
                dtype.name()
            )
        })?;
        let poisoned = matches!(buffer.source, Source::Poison(_));
        let ulp = expectation.tolerance.ulp.is_some();
        let judged = if poisoned || ulp {
            judged
        } else {
            judged.without_poison()
        };
        if ulp && judged.kind == ElementKind::F64 && dtype != Dtype::F64 {
            bail!(
                "`ulp` does not go with elements of type {}: give `tolerance`",
                dtype.name()
            );
        }
        let want_dtype = layout.as_ref().map_or(dtype, |layout| layout.dtype);
        if want_dtype != dtype && !(want_dtype.is_float() && dtype.is_float()) {
            bail!(
                "{file} holds {}, buffer `{}` {}",
                want_dtype.name(),
                buffer.name,
                dtype.name()
            );
        }
        let have = data.len() / want_dtype.size;
        let count = bytes / dtype.size;
        if bytes % dtype.size != 0 || data.len() % want_dtype.size != 0 || have != count {
            bail!(
                "{file} has {} bytes, {have} elements of {}; buffer `{}` has {bytes} bytes, {count} elements of {}",
                data.len(),
                want_dtype.name(),
                buffer.name,
                dtype.name()
            );
        }
        if count == 0 {
            bail!(
                "buffer `{}` has no elements: there is nothing to judge",
                buffer.name
            );
        }
        let expected = PreparedExpectation {
            buffer,
            index: expectation.buffer,
            axes: axes(layout.as_ref(), placed.layout.as_ref(), count),
            expectation,
            judged,
            want: data,
            want_dtype,
        };
        expected.check(&file)?;
        Ok(expected)
    }

    /// Checks that an element can equal every expected value.
    fn check(&self, file: &str) -> anyhow::Result<()> {
        if !self.want_dtype.is_float() && self.want_dtype.size < 8 {
            return Ok(());
        }
        let values = elements::values(self.want_dtype, &self.want);
        if let Some(at) = values.iter().position(|value| value.is_nan()) {
            bail!(
                "{file} holds NaN at element {at}, which nothing equals: expect finite values, or compare bits with a `dtype` of the buffer as i32 or u16"
            );
        }
        if let Some(at) = elements::too_large(self.want_dtype, &values) {
            bail!(
                "{file} holds {} at element {at}: whole numbers from 2^53 on are not judged",
                values[at]
            );
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.length).product()
    }

    fn is_exact(&self) -> bool {
        self.expectation.tolerance.is_exact()
    }

    /// The verdicts on what the launches left, each with what makes it say little. Of a buffer with pieces, each piece that differs has
    /// one.
    pub(super) fn judge(
        &self,
        session: &mut dyn Session,
        placed: &[PlacedBuffer],
        before: &[Before<'_>],
    ) -> anyhow::Result<Vec<(OutputReport, Option<String>)>> {
        let placed = &placed[self.index];
        let got = buffers::read(session, placed)?;
        let same = |want: &[u8], got: &[u8]| self.want_dtype == self.judged.dtype && got == want;
        // Bit for bit the same, all of it: large buffers need no metrics to say so.
        if self.is_exact() && same(&self.want, &got) {
            return Ok(vec![(self.identical(), None)]);
        }
        let judge = |part: &JudgedPart<'_>| {
            with_element!(self.judged.kind, E => self.judge_as::<E>(part, before))
                .with_context(|| format!("expect.{}", part.name))
        };
        if placed.pieces.is_none() {
            let whole = JudgedPart {
                name: &self.buffer.name,
                axes: &self.axes,
                want: &self.want,
                got: &got,
            };
            return Ok(vec![judge(&whole)?]);
        }
        let (mut reports, mut at) = (Vec::new(), 0);
        for piece in placed.known_parts() {
            let count = usize::try_from(piece.end - piece.start)? / self.judged.dtype.size;
            let bytes = |size: usize| at * size..(at + count) * size;
            let want = &self.want[bytes(self.want_dtype.size)];
            let got = &got[bytes(self.judged.dtype.size)];
            at += count;
            if !same(want, got) {
                reports.push(judge(&JudgedPart {
                    name: &placed.part_name(&self.buffer.name, &piece),
                    axes: &[Axis::new("element", count)],
                    want,
                    got,
                })?);
            }
        }
        if reports.is_empty() {
            reports.push((self.identical(), None));
        }
        Ok(reports)
    }

    fn judge_as<E: Element>(
        &self,
        part: &JudgedPart<'_>,
        before: &[Before<'_>],
    ) -> anyhow::Result<(OutputReport, Option<String>)> {
        let &JudgedPart {
            name,
            axes,
            want,
            got,
        } = part;
        let poisoned = matches!(self.buffer.source, Source::Poison(_));
        let oracle = elements::values(self.want_dtype, want);
        let golden: Vec<E> = if self.want_dtype == self.judged.dtype {
            self.judged.elements(want, false)
        } else {
            oracle.iter().map(|&value| E::nearest(value)).collect()
        };
        let inputs: Vec<(&Before<'_>, Vec<E>)> = before
            .iter()
            .filter(|input| input.bytes.len() / input.dtype.size == oracle.len())
            .map(|input| (input, self.echo(input)))
            .collect();
        let inputs: Vec<NamedInput<'_, E>> = inputs
            .iter()
            .map(|(input, values)| NamedInput {
                name: &input.buffer.name,
                values,
                converted: input.dtype != self.judged.dtype,
            })
            .collect();
        let case = OutputCase {
            name,
            axes,
            tolerance: &self.expectation.tolerance,
            got: &self.judged.elements::<E>(got, poisoned),
            golden: &golden,
            oracle: &oracle,
            inputs: &inputs,
            alternatives: Some(&[]),
            owner: None,
        };
        let mut report = judge_output(&case)?;
        report.element = self.judged.dtype.name();
        if !self.judged.is_direct() {
            // Places of another type say nothing.
            (report.golden.max_ulp, report.oracle.max_ulp) = (None, None);
        }
        // What is expected bit for bit may well be zero, or what was there.
        let trivial = if self.is_exact() {
            Vec::new()
        } else {
            accepted_trivially(&case)?
        };
        let little = (!trivial.is_empty()).then(|| {
            format!(
                "expect.{}: its tolerance says little: {} would pass too",
                self.buffer.name,
                trivial.join(", ")
            )
        });
        Ok((report, little))
    }

    /// Returns the earlier contents of a buffer, as elements of the judged buffer.
    fn echo<E: Element>(&self, input: &Before<'_>) -> Vec<E> {
        if input.dtype == self.judged.dtype {
            return self.judged.elements(&input.bytes, false);
        }
        let values = elements::values(input.dtype, &input.bytes);
        values.into_iter().map(E::nearest).collect()
    }

    fn identical(&self) -> OutputReport {
        let metrics = Metrics {
            max_abs: 0.0,
            allowed: 0.0,
            relative_rms: 0.0,
            rms_allowed: None,
            max_ulp: Some(0),
            mismatched: 0,
            mismatched_share: 0.0,
            total: self.count(),
            used: 0.0,
            worst: None,
        };
        OutputReport {
            name: self.buffer.name.clone(),
            element: self.judged.dtype.name(),
            axes: self.axes.clone(),
            tolerance: self.expectation.tolerance.clone(),
            golden: metrics.clone(),
            oracle: metrics,
            verdict: Verdict::Pass,
            problem: None,
            damage: None,
        }
    }
}
