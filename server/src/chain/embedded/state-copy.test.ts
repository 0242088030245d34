import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { restoreState } from './state-copy.ts'

const END = '"historical_states":null}'
/** More than the longest string of Node. */
const LARGE = 600 * 2 ** 20

let folder: string
let statePath: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-state-'))
  statePath = join(folder, 'chain.json')
  await writeFile(`${statePath}.copy`, `{"best_block_number":1,${END}`)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function writeState(size: number, end: string): Promise<void> {
  const file = await open(statePath, 'w')
  await file.write(end, size - end.length)
  await file.close()
}

const endOfState = async (length: number): Promise<string> => {
  const file = await open(statePath)
  const { size } = await file.stat()
  const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length })
  await file.close()
  return `${size} ${buffer.toString()}`
}

it('starts from a whole state of any size, not from its older copy', async () => {
  await writeState(LARGE, END)
  await restoreState(statePath)
  expect(await endOfState(END.length)).toBe(`${LARGE} ${END}`)
})

it.each(['', '{"blocks":[{}', '{"blocks":[{}]}'])('starts from the copy where the state is %j', async (cut) => {
  await writeFile(statePath, cut)
  await restoreState(statePath)
  expect(await readFile(statePath, 'utf8')).toContain('"best_block_number":1')
})

it('leaves a state that is cut short where there is no copy, for the node to refuse', async () => {
  await rm(`${statePath}.copy`)
  await writeFile(statePath, '{')
  await restoreState(statePath)
  expect(await readFile(statePath, 'utf8')).toBe('{')
})
