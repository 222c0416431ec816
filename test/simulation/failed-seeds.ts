/** The seeds that once failed. Each run of new seeds begins with them. */
export const failedSeeds: readonly number[] = [
  195_527_035, 176_740_683, 123_347_730, 262_197_897, 262_199_256, 222_896_888, 44_513_075, 7_810,
  500_005_796, 500_008_454, 213_214_231, 310_006_292, 310_002_412, 3_067, 320_002_992, 136_423_666,
];

/** The seeds that once failed as stories of sixty builds. */
export const failedLongSeeds: readonly number[] = [
  5_036, 5_097, 300_111, 300_310, 300_545, 300_601,
];
