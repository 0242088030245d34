/** What the venue answers to a send, of either product. */
export interface SendState {
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly failure: string | null
  /** The same for people; null where the venue knows no more. */
  readonly failureMessage: string | null
}

/** Why a send failed, as a screen says it. */
export const whyFailed = ({ failure, failureMessage }: SendState): string | null => failureMessage ?? failure
