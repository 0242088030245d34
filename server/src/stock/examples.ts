// Values of the reference's examples that many of the product's operations show, beside those of `http/examples.ts`: the same thing has the same value in all of them.

export const ROUTER = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
export const STOCK_TOKEN = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
export const CASH_TOKEN = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'
export const SETTLE_TX_HASH = '0x4b3f5c0e7d0e4a86f4a5a2b8d4c7e9160b2d7f3a1c8e5096d3b7f2a4c6e8d015'
export const ORDER_ID = '0x1f9090aae28b8a3dceadf281b0f12828e676c3268a91ebe6a713944b88df0164'
export const OPERATION_ID = '0x6d1f0ae25b8c4937f2a6d8e0b4c9f7135a8e2d6c0f4b9a7381e5d3c2b6f09a84'
