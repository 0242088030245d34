// What the wallet helpers need of viem, in one place that is loaded with the first signature.
// biome-ignore-all lint/performance/noBarrelFile: one module is one load
export { createClient, custom, decodeFunctionResult, encodeFunctionData, erc20Abi, getAddress, numberToHex } from 'viem'
export {
  estimateGas,
  getChainId,
  sendTransaction,
  signMessage,
  signTypedData,
  waitForTransactionReceipt,
} from 'viem/actions'
export { createSiweMessage } from 'viem/siwe'
export { getTransactionError } from 'viem/utils'
