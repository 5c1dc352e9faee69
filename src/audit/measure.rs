//! The errors of each pipeline over the draws, and their quartiles.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use super::inputs::{Head, Regime};
use super::pipelines::{AuditedPipeline, PIPELINES, rule};

/// The errors of a pipeline in a regime.
pub struct PipelineErrors {
    /// The pipeline.
    pub pipeline: &'static AuditedPipeline,
    /// Errors of the final state.
    pub state: ErrorSpread,
    /// Errors of the output, if the pipeline has one.
    pub output: Option<ErrorSpread>,
    /// Number of heads whose state or output is not finite when the pipeline is computed in f32, as by
    /// kernels.
    pub not_finite_f32: usize,
}

/// The relative errors of a tensor, one for each head.
#[derive(Debug, Default)]
pub struct ErrorSpread {
    /// The errors in ascending order. An error is infinite if it, or the tensor, is not finite in f64.
    errors: Vec<f64>,
}

/// The errors of a pipeline for a head.
struct HeadErrors {
    state: f64,
    output: Option<f64>,
    finite_f32: bool,
}

/// Runs every pipeline on `draws` heads of each regime, `jobs` heads at a time. The result does not
/// depend on `jobs`.
pub fn measure(regimes: &[Regime], seed: u64, draws: u32, jobs: usize) -> Vec<Vec<PipelineErrors>> {
    let heads: Vec<(usize, u32)> = (0..regimes.len())
        .flat_map(|regime| (0..draws).map(move |draw| (regime, draw)))
        .collect();
    let mut results: Vec<Vec<PipelineErrors>> =
        regimes.iter().map(|_| PipelineErrors::empty()).collect();
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let work = |send: Sender<(usize, Vec<HeadErrors>)>| {
        while let Some(&(regime, draw)) = heads.get(next.fetch_add(1, Ordering::Relaxed)) {
            let head = Head::draw(&regimes[regime], seed, draw);
            // The receiver outlives the scope.
            let _ = send.send((regime, errors(&head)));
        }
    };
    let work = &work;
    thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..jobs.clamp(1, heads.len().max(1)) {
            let send = send.clone();
            let thread = thread::Builder::new().spawn_scoped(scope, move || work(send));
            // The host may refuse a thread if memory is short. The threads that were started then do all
            // the work.
            if thread.is_err() {
                break;
            }
            started += 1;
        }
        if started == 0 {
            work(send);
        } else {
            drop(send);
        }
        for (regime, errors) in receive {
            for (result, errors) in results[regime].iter_mut().zip(errors) {
                result.add(&errors);
            }
        }
    });
    results
}

/// Returns the errors of each pipeline for a head.
fn errors(head: &Head<f32>) -> Vec<HeadErrors> {
    let wide = head.wide();
    let want = rule(&wide);
    let errors_of = |pipeline: &AuditedPipeline| {
        let (got, narrow) = (pipeline.run(&wide), pipeline.run(head));
        let output = got.output.as_deref();
        let mut narrow = narrow.state.iter().chain(narrow.output.iter().flatten());
        HeadErrors {
            state: relative(&got.state, &want.state),
            output: output.map(|got| relative(got, &want.output)),
            finite_f32: narrow.all(|x| x.is_finite()),
        }
    };
    PIPELINES.iter().map(errors_of).collect()
}

/// Returns `||got - want|| / ||want||`, or infinity if this is no finite number.
fn relative(got: &[f64], want: &[f64]) -> f64 {
    let difference: Vec<f64> = got.iter().zip(want).map(|(a, b)| a - b).collect();
    let error = norm(&difference) / norm(want);
    if error.is_finite() {
        error
    } else {
        f64::INFINITY
    }
}

/// Returns the Euclidean norm. The values are divided by the largest one first, because their squares
/// may exceed f64.
fn norm(values: &[f64]) -> f64 {
    if values.iter().any(|x| !x.is_finite()) {
        return f64::INFINITY;
    }
    let largest = values
        .iter()
        .fold(0.0f64, |largest, x| largest.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let squares: f64 = values.iter().map(|x| (x / largest).powi(2)).sum();
    largest * squares.sqrt()
}

impl PipelineErrors {
    /// Makes the result of each pipeline before the first head.
    fn empty() -> Vec<PipelineErrors> {
        let empty = |pipeline| PipelineErrors {
            pipeline,
            state: ErrorSpread::default(),
            output: None,
            not_finite_f32: 0,
        };
        PIPELINES.iter().map(empty).collect()
    }

    fn add(&mut self, errors: &HeadErrors) {
        self.state.add(errors.state);
        if let Some(output) = errors.output {
            self.output.get_or_insert_default().add(output);
        }
        self.not_finite_f32 += usize::from(!errors.finite_f32);
    }
}

impl ErrorSpread {
    fn add(&mut self, error: f64) {
        let at = self.errors.partition_point(|known| *known <= error);
        self.errors.insert(at, error);
    }

    /// Returns the number of heads.
    pub fn heads(&self) -> usize {
        self.errors.len()
    }

    /// Returns the number of heads whose tensor, or its error, is not finite even in f64.
    pub fn not_finite(&self) -> usize {
        self.errors
            .iter()
            .filter(|error| error.is_infinite())
            .count()
    }

    /// Returns the lower quartile, the median and the upper quartile, interpolated linearly by rank.
    /// Errors that are not finite rank last.
    pub fn quartiles(&self) -> [f64; 3] {
        [0.25, 0.5, 0.75].map(|share| {
            let Some(last) = self.errors.len().checked_sub(1) else {
                return f64::NAN;
            };
            let place = share * last as f64;
            let (below, above) = (
                self.errors[place.floor() as usize],
                self.errors[place.ceil() as usize],
            );
            if below == above {
                below
            } else {
                below + (above - below) * place.fract()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(errors: &[f64]) -> ErrorSpread {
        let mut spread = ErrorSpread::default();
        errors.iter().for_each(|&error| spread.add(error));
        spread
    }

    #[test]
    fn quartiles_are_those_computed_by_hand() {
        assert_eq!(
            spread(&[4.0, 0.0, 3.0, 1.0, 2.0]).quartiles(),
            [1.0, 2.0, 3.0]
        );
        assert_eq!(spread(&[1.0, 2.0]).quartiles(), [1.25, 1.5, 1.75]);
        assert_eq!(spread(&[7.0]).quartiles(), [7.0; 3]);
    }

    #[test]
    fn an_error_that_is_not_finite_ranks_last_and_is_counted() {
        let inf = f64::INFINITY;
        let spread = spread(&[inf, 1.0, inf, 2.0, 5.0]);
        assert_eq!(spread.quartiles(), [2.0, 5.0, inf]);
        assert_eq!((spread.not_finite(), spread.heads()), (2, 5));
    }

    #[test]
    fn an_error_is_relative_and_never_not_a_number() {
        assert_eq!(relative(&[3.0, 5.0], &[3.0, 4.0]), 0.2);
        let large = relative(&[3e200, 5e200], &[3e200, 4e200]);
        assert!((large - 0.2).abs() < 1e-15, "{large}");
        for got in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(relative(&[got, 1.0], &[1.0, 1.0]), f64::INFINITY);
        }
        assert_eq!(relative(&[1.0], &[0.0]), f64::INFINITY);
    }
}
