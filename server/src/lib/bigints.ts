export const abs = (x: bigint): bigint => (x < 0n ? -x : x)

export const min = (x: bigint, y: bigint): bigint => (x < y ? x : y)

export const max = (x: bigint, y: bigint): bigint => (x > y ? x : y)
