//! Instructions with two carries, of x86-64.

use crate::InstructionLimit;

/// `mulx`, `adcx` and `adox` of x86-64 (BMI2 and ADX): multiplications that change no flag, and additions with one flag
/// for the carries between products and one for those of a sum. A value proves that the processor has them. Processors
/// with these have AVX2, too.
#[derive(Clone, Copy)]
pub(crate) struct TwoCarries(());

impl TwoCarries {
    pub(crate) fn detect() -> Option<Self> {
        // Valgrind runs the instructions of ADX, but its processor does not name them: scripts/taint.sh says so.
        let has_adx = cfg!(sunzi_assumes_adx) || is_x86_feature_detected!("adx");
        let present =
            has_adx && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("avx2");
        (present && InstructionLimit::Avx2.is_allowed()).then_some(Self(()))
    }
}
