import { openSendDesk } from '../../delegation/send-desk.ts'
import type { SendLimits } from '../../delegation/send-queue.ts'
import { configuredWith } from '../../delegation/testing-values.ts'
import type { Venue } from '../../http/product.ts'
import { type StockContext, stockContext } from '../context.ts'
import { type StockSettings, stockSettings, stockVariables } from '../variables.ts'

/** The context of a venue whose operator has set nothing but what is given. */
export const testContext = (
  venue: Venue,
  settings: Partial<Pick<StockSettings, 'submitGasPerDay'>> = {},
  sendLimits?: SendLimits,
): StockContext => {
  const { productType, submitGasPerDay } = stockSettings(configuredWith([stockVariables]))
  const own = { productType, submitGasPerDay: settings.submitGasPerDay ?? submitGasPerDay }
  return stockContext(venue, own, openSendDesk(venue, sendLimits))
}
