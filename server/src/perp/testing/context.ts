import { openSendDesk } from '../../delegation/send-desk.ts'
import type { SendLimits } from '../../delegation/send-queue.ts'
import { configuredWith } from '../../delegation/testing-values.ts'
import type { Venue } from '../../http/product.ts'
import { type PerpContext, perpContext } from '../context.ts'
import { type PerpSettings, perpSettings, perpVariables } from '../variables.ts'

/** The context of a venue whose operator has set nothing but what is given. */
export const testContext = (
  venue: Venue,
  settings: Partial<Pick<PerpSettings, 'submitGasPerDay'>> = {},
  sendLimits?: SendLimits,
): PerpContext => {
  const { submitGasPerDay } = perpSettings(configuredWith([perpVariables]))
  const own = { submitGasPerDay: settings.submitGasPerDay ?? submitGasPerDay }
  return perpContext(venue, own, openSendDesk(venue, sendLimits))
}
