import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { type AnsweredRequest, RequestLog } from './request-log.ts'

const entry = (requestId: string): AnsweredRequest => ({
  requestId,
  method: 'GET',
  route: '/api/v1/x',
  status: 200,
  durationMs: 1,
  clientIp: '127.0.0.1',
})

describe('RequestLog', () => {
  it('logs failures, a sample of successes, and how many it left out', () => {
    const lines: { msg: string; request?: AnsweredRequest; count?: number }[] = []
    const log = new RequestLog(pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }))
    let made = 0
    for (let i = 0; i < 1000; i++) {
      log.record(i % 2 === 0, () => {
        made++
        return entry(String(i))
      })
    }
    expect(lines).toEqual([])
    log.close()
    expect(lines.filter((line) => line.msg === 'request failed')).toHaveLength(200)
    expect(lines.filter((line) => line.msg === 'request')).toHaveLength(10)
    expect(lines.at(-1)).toMatchObject({ count: 790 })
    expect(made).toBe(210)
  })
})
