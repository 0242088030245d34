import { SESSION, type Session } from '../../market/hours.ts'

/** The wire's names of sessions. */
export const SESSION_NAMES = ['closed', 'pre-market', 'regular', 'after-hours', 'overnight'] as const
export type SessionName = (typeof SESSION_NAMES)[number]

const NAMES: Readonly<Record<Session, SessionName>> = {
  [SESSION.closed]: 'closed',
  [SESSION.preMarket]: 'pre-market',
  [SESSION.regular]: 'regular',
  [SESSION.afterHours]: 'after-hours',
  [SESSION.overnight]: 'overnight',
}

export const sessionName = (session: Session): SessionName => NAMES[session]
