//! The contract's tensor for each pointer of a recorded launch, by name, by size, by whether the launch wrote it, and by order.

use super::lengths::Lengths;
use crate::binding::TensorUse;
use crate::commands::exec::recorded::Region;
use crate::contract::{Function, Values};
use crate::tensor::ElementKind;

/// Bytes of an f16 or bf16 that a kernel may have in place of an f32 of the contract.
const HALF: u64 = 2;

/// A tensor that a pointer may point to.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// The use of the tensor.
    pub role: TensorUse,
    /// Its elements in the contract.
    pub element: ElementKind,
    /// The lengths of its axes.
    pub lengths: Lengths,
}

impl Candidate {
    /// Returns the tensors whose lengths are known, hidden ones last.
    pub fn of(
        function: &'static Function,
        tensors: &[crate::binding::DescribedTensor],
    ) -> Vec<Candidate> {
        let candidate = |tensor: &crate::binding::DescribedTensor| {
            Some(Candidate {
                name: tensor.name.clone(),
                role: tensor.role,
                element: tensor.element,
                lengths: Lengths::of(function, tensor)?,
            })
        };
        let mut all: Vec<Candidate> = tensors.iter().filter_map(candidate).collect();
        all.sort_by_key(|tensor| tensor.role == TensorUse::Hidden);
        all
    }

    /// Returns true if kernels write the tensor.
    pub fn is_output(&self) -> bool {
        matches!(self.role, TensorUse::Output | TensorUse::InPlace)
    }

    /// Returns its size in bytes in a case, in the contract's type.
    pub fn bytes(&self, values: &Values) -> Option<u64> {
        let count = self.lengths.count(values)?;
        count.checked_mul(self.element.size() as u64)
    }
}

/// The quality of the fit of a tensor and a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// The sizes are equal to the byte.
    Exact,
    /// The sizes are equal to the byte if the elements have two bytes.
    Half,
    /// The region has so many bytes more, as allocators round up, but is less than twice as large.
    Within(u64),
}

/// The tensor that a region is taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionUse {
    /// A tensor, by its number.
    Tensor {
        /// The position among the candidates.
        tensor: usize,
        /// The quality of the fit.
        fit: Fit,
        /// Other tensors that fit as well.
        others: Vec<usize>,
    },
    /// All outputs, one after the other.
    Outputs,
    /// Nothing fits.
    Unknown,
}

/// The tensors in a case, with their sizes in bytes.
pub struct Tensors<'a> {
    candidates: &'a [Candidate],
    /// Bytes of each in the contract's type.
    bytes: Vec<Option<u64>>,
}

impl<'a> Tensors<'a> {
    /// Computes the sizes of the tensors in a case.
    pub fn at(candidates: &'a [Candidate], values: &Values) -> Tensors<'a> {
        let bytes = candidates.iter().map(|tensor| tensor.bytes(values));
        Tensors {
            candidates,
            bytes: bytes.collect(),
        }
    }

    /// Returns the fit of a tensor and a region. A region that changed is not an input. A region that did not change may be an output whose
    /// values were there before, but only if `lenient`.
    fn fit(&self, tensor: usize, region: &Region, lenient: bool) -> Option<Fit> {
        let candidate = &self.candidates[tensor];
        let bytes = self.bytes[tensor].filter(|bytes| *bytes > 0)?;
        let may = match region.changed {
            Some(true) => candidate.is_output(),
            Some(false) => lenient || !candidate.is_output(),
            None => true,
        };
        if !may {
            return None;
        }
        let size = candidate.element.size() as u64;
        let half = candidate.element == ElementKind::F32;
        match region.size {
            found if found == bytes => Some(Fit::Exact),
            found if half && found == bytes / size * HALF => Some(Fit::Half),
            found if found > bytes && found / 2 < bytes => Some(Fit::Within(found - bytes)),
            _ => None,
        }
    }

    /// Returns the tensor of each region. `names` are the names of the arguments that point there.
    pub fn take(&self, regions: &[Region], names: &[Option<&str>]) -> Vec<RegionUse> {
        let mut taken = vec![RegionUse::Unknown; regions.len()];
        let mut free = vec![true; self.candidates.len()];
        // An exact size goes before a name, and a name before the order.
        for within in [false, true] {
            self.by_name(regions, names, within, &mut taken, &mut free);
            for lenient in [false, true] {
                self.by_order(regions, lenient, within, &mut taken, &mut free);
            }
            self.outputs_together(regions, &mut taken, &mut free);
        }
        taken
    }

    /// Takes each region for the tensor with the name of its pointer, if the tensor fits.
    fn by_name(
        &self,
        regions: &[Region],
        names: &[Option<&str>],
        within: bool,
        taken: &mut [RegionUse],
        free: &mut [bool],
    ) {
        for (at, region) in regions.iter().enumerate() {
            let name = names.get(at).copied().flatten().unwrap_or_default();
            let named = |tensor: &usize| name.eq_ignore_ascii_case(&self.candidates[*tensor].name);
            let mut open = (0..free.len()).filter(|tensor| free[*tensor]);
            let Some(tensor) = open.find(named) else {
                continue;
            };
            let fit = self.fit(tensor, region, true);
            let fit = fit.filter(|fit| within || !matches!(fit, Fit::Within(_)));
            if let (Some(fit), RegionUse::Unknown) = (fit, &taken[at]) {
                free[tensor] = false;
                taken[at] = RegionUse::Tensor {
                    tensor,
                    fit,
                    others: Vec::new(),
                };
            }
        }
    }

    /// Takes each remaining region for the first free tensor that fits best.
    fn by_order(
        &self,
        regions: &[Region],
        lenient: bool,
        within: bool,
        taken: &mut [RegionUse],
        free: &mut [bool],
    ) {
        let unnamed = free.to_vec();
        for (at, region) in regions.iter().enumerate() {
            if taken[at] != RegionUse::Unknown {
                continue;
            }
            let fits = |tensor: usize| {
                let fit = self.fit(tensor, region, lenient)?;
                (within || !matches!(fit, Fit::Within(_))).then_some((fit, tensor))
            };
            let open = (0..free.len()).filter(|tensor| free[*tensor]);
            let hidden = |tensor: usize| self.candidates[tensor].role == TensorUse::Hidden;
            let best = open
                .filter_map(fits)
                .min_by_key(|(fit, tensor)| (*fit, hidden(*tensor)));
            let Some((fit, tensor)) = best else {
                continue;
            };
            let same = |other: &usize| {
                let alike = hidden(*other) == hidden(tensor);
                *other != tensor
                    && unnamed[*other]
                    && alike
                    && fits(*other).is_some_and(|(other, _)| other == fit)
            };
            let others = (0..free.len()).filter(same).collect();
            free[tensor] = false;
            taken[at] = RegionUse::Tensor {
                tensor,
                fit,
                others,
            };
        }
    }

    /// Takes a region for all outputs one after the other, if it is as large as they are together and no output is taken yet.
    fn outputs_together(&self, regions: &[Region], taken: &mut [RegionUse], free: &mut [bool]) {
        let outputs: Vec<usize> = (0..free.len())
            .filter(|tensor| self.candidates[*tensor].is_output())
            .collect();
        let all = outputs.iter().all(|tensor| free[*tensor]);
        let sum: Option<u64> = outputs.iter().map(|tensor| self.bytes[*tensor]).sum();
        if outputs.len() < 2 || !all {
            return;
        }
        let holds = |(taken, region): (&RegionUse, &Region)| {
            *taken == RegionUse::Unknown
                && Some(region.size) == sum
                && region.changed != Some(false)
        };
        if let Some(at) = taken.iter().zip(regions).position(holds) {
            taken[at] = RegionUse::Outputs;
            outputs.iter().for_each(|tensor| free[*tensor] = false);
        }
    }

    /// Returns true if every region fits to the byte, in the contract's own types unless `half`, and every output has a region that is not
    /// known to be unchanged.
    pub fn explain(&self, regions: &[Region], names: &[Option<&str>], half: bool) -> bool {
        let taken = self.take(regions, names);
        let fine = |(taken, region): (&RegionUse, &Region)| match taken {
            RegionUse::Tensor { tensor, fit, .. } => {
                let left = self.candidates[*tensor].is_output() && region.changed == Some(false);
                !left && (*fit == Fit::Exact || (half && *fit == Fit::Half))
            }
            RegionUse::Outputs => true,
            RegionUse::Unknown => false,
        };
        let together = taken.contains(&RegionUse::Outputs);
        let written = |wanted: usize| {
            let is = |taken: &RegionUse| matches!(taken, RegionUse::Tensor { tensor, .. } if *tensor == wanted);
            together || !self.candidates[wanted].is_output() || taken.iter().any(is)
        };
        taken.iter().zip(regions).all(fine) && (0..self.candidates.len()).all(written)
    }
}

#[cfg(test)]
mod tests;
