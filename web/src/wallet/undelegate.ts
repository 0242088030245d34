import { sendBuilt } from '@bourse/sdk/wallet'
import { setup } from '../app-state.ts'
import { walletClient } from './client.ts'
import { mined } from './mined.ts'

/** The selector of `undelegate()`, which takes no arguments. */
const UNDELEGATE = '0x92ab89bb'

/** The user's own end of One Click, on chain, without the venue. Of either product: `name` is that of its router. */
export async function undelegate(name: 'OneClickRouter' | 'PerpOneClickRouter'): Promise<void> {
  const venue = setup.peek()
  const to = venue?.contracts[name]
  if (!to) throw new Error('this venue has no One Click')
  const wallet = walletClient()
  const built = { chainId: venue.chainId, toAddress: to, value: '0', callData: UNDELEGATE }
  await mined(wallet, await sendBuilt(wallet, built, { allowed: [to] }))
}
