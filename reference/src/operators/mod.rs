//! The document's kernels, one operator a file.

mod add;
mod apply_causal_identity;
mod attention_matrix;
mod broadcast_mul;
mod causal_mask;
mod cumsum;
mod decay_mask;
mod exp;
mod eye;
mod gemm;
mod mul;
mod neg;
mod scale;
mod sigmoid;
mod solve_tri;
mod sub;
mod transpose;
mod tril;

pub use add::add;
pub use apply_causal_identity::apply_causal_identity;
pub use attention_matrix::attention_matrix;
pub use broadcast_mul::broadcast_mul;
pub use causal_mask::causal_mask;
pub use cumsum::cumsum;
pub use decay_mask::decay_mask;
pub use exp::exp;
pub use eye::eye;
pub use gemm::{gemm_nn, gemm_nt, gemm_tn};
pub use mul::mul;
pub use neg::neg;
pub use scale::scale;
pub use sigmoid::sigmoid;
pub use solve_tri::solve_tri;
pub use sub::sub;
pub use transpose::transpose;
pub use tril::tril;
