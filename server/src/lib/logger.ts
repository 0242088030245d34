import { type Logger, pino } from 'pino'

export type { Logger }

/** Values of these keys never reach a log line. */
const SECRET_PATHS = ['apiSecret', 'privateKey', 'signature', '*.apiSecret', '*.privateKey', '*.signature']

/** JSON lines on stderr, so that stdout stays free for the start's summary. */
export function createLogger(level: string): Logger {
  return pino({ level, redact: SECRET_PATHS, base: null }, pino.destination({ dest: 2, sync: false }))
}
