/** What is told beside the screen: a failure until it is closed, everything else for a moment. */
export interface Message {
  readonly kind: 'good' | 'bad' | 'info'
  readonly text: string
}

/** How many are shown together that go by themselves. */
const PASSING = 4

/** Those that are shown with another one, which makes room for itself among those that go by themselves: no failure is pushed out. */
export function withMessage<One extends Message>(shown: readonly One[], next: One): readonly One[] {
  const passing = [...shown, next].filter(({ kind }) => kind !== 'bad').slice(-PASSING)
  return [...shown, next].filter((one) => one.kind === 'bad' || passing.includes(one))
}
