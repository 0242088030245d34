// Generated from contracts/src by scripts/generate-contracts.mjs. Do not edit.
export const testFeedAbi = [
  {"type":"constructor","inputs":[{"name":"decimals_","type":"uint8","internalType":"uint8"},{"name":"answer","type":"int256","internalType":"int256"}],"stateMutability":"nonpayable"},
  {"type":"function","name":"decimals","inputs":[],"outputs":[{"name":"","type":"uint8","internalType":"uint8"}],"stateMutability":"view"},
  {"type":"function","name":"latestRoundData","inputs":[],"outputs":[{"name":"","type":"uint80","internalType":"uint80"},{"name":"","type":"int256","internalType":"int256"},{"name":"","type":"uint256","internalType":"uint256"},{"name":"","type":"uint256","internalType":"uint256"},{"name":"","type":"uint80","internalType":"uint80"}],"stateMutability":"view"},
  {"type":"function","name":"set","inputs":[{"name":"answer","type":"int256","internalType":"int256"}],"outputs":[],"stateMutability":"nonpayable"},
  {"type":"function","name":"setAt","inputs":[{"name":"answer","type":"int256","internalType":"int256"},{"name":"updatedAt","type":"uint256","internalType":"uint256"}],"outputs":[],"stateMutability":"nonpayable"}
] as const
