import Type from 'typebox'
import { SETTLED_AT } from '../../http/examples.ts'
import { formatUnits, jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { StockContext } from '../context.ts'
import { CASH_TOKEN } from '../examples.ts'
import type { CashTokenRow, SettingsRow } from '../store.ts'

const PPM_DECIMALS = 6
const RATE_DECIMALS = 6

export interface ConfigSource {
  readonly chainId: number
  readonly productType: string
  readonly settings: SettingsRow
  readonly cashTokens: readonly CashTokenRow[]
}

/** Fee rates are fractions (0.001 is 10 bps), amounts are in human units (stock-api 2.1, GET /config). */
export function configView({ chainId, productType, settings, cashTokens }: ConfigSource) {
  const rate = (ppm: number) => jsonNumber(BigInt(ppm), PPM_DECIMALS)
  return {
    cashierBuffer: {
      chainId,
      productType,
      creditBuffer: formatUnits(settings.creditBufferWad, WAD_DECIMALS),
      creditBufferCapacity: formatUnits(settings.creditBufferCapacityWad, WAD_DECIMALS),
      instantThresholdDivisor: settings.instantThresholdDivisor,
      updatedAt: Number(settings.updatedAtSec),
    },
    exchangeFeeConfig: {
      chainId,
      productType,
      buyFeeRate: rate(settings.buyThirdPartyPpm + settings.buyProtocolPpm),
      sellFeeRate: rate(settings.sellThirdPartyPpm + settings.sellProtocolPpm),
      buyThirdPartyFeeRate: rate(settings.buyThirdPartyPpm),
      buyProtocolFeeRate: rate(settings.buyProtocolPpm),
      sellThirdPartyFeeRate: rate(settings.sellThirdPartyPpm),
      sellProtocolFeeRate: rate(settings.sellProtocolPpm),
      depositFeeRate: rate(settings.depositFeePpm),
      withdrawFeeRate: rate(settings.withdrawFeePpm),
    },
    cashierTokenConfig: cashTokens.map((token) => ({
      tokenAddress: token.token,
      symbol: token.symbol,
      decimals: token.decimals,
      minAmount: formatUnits(token.minAmountRaw, token.decimals),
      depositPaused: token.depositPaused,
      withdrawPaused: token.withdrawPaused,
      usdRate: jsonNumber(token.usdRateE6, RATE_DECIMALS),
      withdrawalBuffer: formatUnits(token.withdrawBufferRaw, token.decimals),
      withdrawalBufferCapacity: formatUnits(token.withdrawBufferCapacityRaw, token.decimals),
    })),
  }
}

const scope = { chainId: Type.Integer(), productType: Type.String() }
const fraction = (description: string) => Type.Number({ description: `${description}; a fraction, 0.001 is 10 bps` })

export const configSchema = Type.Object({
  cashierBuffer: Type.Object({
    ...scope,
    creditBuffer: Type.String({ description: 'mUSD that instant deposits can still credit.' }),
    creditBufferCapacity: Type.String(),
    instantThresholdDivisor: Type.Integer({ description: 'One operation is instant up to buffer / divisor.' }),
    updatedAt: Type.Integer({ description: 'Unix seconds.' }),
  }),
  exchangeFeeConfig: Type.Object({
    ...scope,
    buyFeeRate: fraction('Third-party and protocol fee of a buy'),
    sellFeeRate: fraction('Third-party and protocol fee of a sell'),
    buyThirdPartyFeeRate: fraction('Part of buyFeeRate'),
    buyProtocolFeeRate: fraction('Part of buyFeeRate'),
    sellThirdPartyFeeRate: fraction('Part of sellFeeRate'),
    sellProtocolFeeRate: fraction('Part of sellFeeRate'),
    depositFeeRate: fraction('Fee of a cash deposit'),
    withdrawFeeRate: fraction('Fee of a cash withdrawal'),
  }),
  cashierTokenConfig: Type.Array(
    Type.Object({
      tokenAddress: Type.String(),
      symbol: Type.String(),
      decimals: Type.Integer(),
      minAmount: Type.String({ description: 'Smallest deposit, token units.' }),
      depositPaused: Type.Boolean(),
      withdrawPaused: Type.Boolean(),
      usdRate: Type.Number({ description: 'USD per token.' }),
      withdrawalBuffer: Type.String({ description: 'Token units that can leave at once.' }),
      withdrawalBufferCapacity: Type.String(),
    }),
  ),
})

export const configExample = ({ chainId, productType }: StockContext) => ({
  cashierBuffer: {
    chainId,
    productType,
    creditBuffer: '20000',
    creditBufferCapacity: '20000',
    instantThresholdDivisor: 5,
    updatedAt: SETTLED_AT,
  },
  exchangeFeeConfig: {
    chainId,
    productType,
    buyFeeRate: 0.0011,
    sellFeeRate: 0.0001,
    buyThirdPartyFeeRate: 0.001,
    buyProtocolFeeRate: 0.0001,
    sellThirdPartyFeeRate: 0,
    sellProtocolFeeRate: 0.0001,
    depositFeeRate: 0,
    withdrawFeeRate: 0.0021,
  },
  cashierTokenConfig: [
    {
      tokenAddress: CASH_TOKEN,
      symbol: 'USDC',
      decimals: 6,
      minAmount: '1',
      depositPaused: false,
      withdrawPaused: false,
      usdRate: 1,
      withdrawalBuffer: '10000',
      withdrawalBufferCapacity: '50000',
    },
  ],
})
