// Backward passes: the gradients of the gated delta rule. The files in backward/ have the bodies; the names are here.
#include "backward/rule.hip"

BACKWARD_KERNEL(gdn_backward_f32, BackwardRule)
GROUP_SUM_KERNEL(gdn_backward_group_sum_f32, GroupSumRule)
