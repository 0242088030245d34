import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { programFile } from './lib/testing-programs.ts'
import { runProgram } from './lib/testing-run.ts'

/** Nothing answers here. */
const AWAY = '127.0.0.1:1'
const INDEXER = {
  ROLES: 'indexer',
  DATABASE_URL: `postgres://nobody@${AWAY}/none`,
  CHAIN_RPC_URL: `http://${AWAY}`,
  DEPLOYMENT_FILE: 'none.json',
}
const { NODE_COMPILE_CACHE } = process.env
const COMPILED = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }

const FATAL = 60

/** Runs a venue to its end. Whatever it writes to stderr has to be what a collector of logs can read. */
async function venue(env: Readonly<Record<string, string>>) {
  const program = programFile(join(import.meta.dirname, 'main.ts'))
  const {
    code,
    output: stdout,
    problems,
  } = await runProgram([process.execPath, program], { env: { ...COMPILED, ...env } })
  const lines = problems.split('\n').filter((line) => line !== '')
  return { code, stdout, lines: lines.map((line) => JSON.parse(line)) }
}

describe('what ends a venue', () => {
  it('is one line of the log with the stack in it, a sentence for people, and the exit code 1', async () => {
    const { code, stdout, lines } = await venue(INDEXER)
    const what = `DATABASE_URL: no connection to ${AWAY} (connect ECONNREFUSED ${AWAY})`
    expect([code, stdout]).toEqual([1, `The venue ends: ${what}\n`])
    const stack = expect.stringMatching(/\n {4}at /)
    expect(lines).toEqual([
      {
        level: FATAL,
        time: expect.any(Number),
        err: expect.objectContaining({ type: 'Error', stack }),
        msg: `the venue ends: ${what}`,
      },
    ])
  })

  it('is told without a stack where variables are wrong, also when the level of the log is one of them', async () => {
    const { code, stdout, lines } = await venue({ PORT: 'x', LOG_LEVEL: 'loud' })
    const what = [
      'PORT is not valid: it must be a port; 0 takes any free one',
      'LOG_LEVEL is not valid: it must be one of fatal, error, warn, info, debug, silent',
    ].join('\n')
    expect([code, stdout]).toEqual([1, `The venue ends: ${what}\n`])
    expect(lines).toEqual([{ level: FATAL, time: expect.any(Number), msg: `the venue ends: ${what}` }])
  })

  it('is told in the same way where nobody waited for it', async () => {
    const late = `setInterval(() => { if (process.listenerCount('SIGTERM') > 0) throw new Error('nobody waited') }, 1)`
    const NODE_OPTIONS = `--import="data:text/javascript,${encodeURIComponent(late)}"`
    const { code, stdout, lines } = await venue({ ...INDEXER, NODE_OPTIONS })
    expect([code, stdout]).toEqual([1, 'The venue ends: nobody waited\n'])
    expect(lines).toMatchObject([
      { level: FATAL, err: { message: 'nobody waited' }, msg: 'the venue ends: nobody waited' },
    ])
  })

  it('is told to people alone where the log is silent', async () => {
    const { code, stdout, lines } = await venue({ ...INDEXER, LOG_LEVEL: 'silent' })
    expect([code, stdout, lines]).toEqual([1, expect.stringContaining('The venue ends: DATABASE_URL'), []])
  })
})
