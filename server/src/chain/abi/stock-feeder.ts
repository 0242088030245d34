// Generated from contracts/src by scripts/generate-contracts.mjs. Do not edit.
export const stockFeederAbi = [
  {"type":"constructor","inputs":[{"name":"oracle_","type":"address","internalType":"contract IStockOracle"},{"name":"priceId_","type":"bytes32","internalType":"bytes32"}],"stateMutability":"nonpayable"},
  {"type":"function","name":"decimals","inputs":[],"outputs":[{"name":"","type":"uint8","internalType":"uint8"}],"stateMutability":"pure"},
  {"type":"function","name":"isFrozen","inputs":[],"outputs":[{"name":"","type":"bool","internalType":"bool"}],"stateMutability":"view"},
  {"type":"function","name":"latestRoundData","inputs":[],"outputs":[{"name":"","type":"uint80","internalType":"uint80"},{"name":"","type":"int256","internalType":"int256"},{"name":"","type":"uint256","internalType":"uint256"},{"name":"","type":"uint256","internalType":"uint256"},{"name":"","type":"uint80","internalType":"uint80"}],"stateMutability":"view"},
  {"type":"function","name":"oracle","inputs":[],"outputs":[{"name":"","type":"address","internalType":"contract IStockOracle"}],"stateMutability":"view"},
  {"type":"function","name":"priceId","inputs":[],"outputs":[{"name":"","type":"bytes32","internalType":"bytes32"}],"stateMutability":"view"}
] as const
