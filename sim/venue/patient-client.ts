import { type Answer, Client } from '../../server/e2e/client.ts'
import { answerOf, until } from './patience.ts'

/** The code of an answer that says to ask again: what the venue depends on failed. */
const CHAIN_AWAY = 10_003

/** Whether the venue answers for itself, not for a fault. */
export const isOwnAnswer = ({ status, body }: Answer): boolean =>
  status < 500 && status !== 429 && body.code !== CHAIN_AWAY

/** Asks again until the venue answers for itself: for requests that may be made twice, as those that open an account. */
export class PatientClient extends Client {
  override async send<T = unknown>(...request: Parameters<Client['send']>): Promise<Answer<T>> {
    const ask = () => answerOf(() => super.send<T>(...request))
    const answer = await until(request[1], ask, async (one) => one !== null && isOwnAnswer(one))
    return answer as Answer<T>
  }
}
