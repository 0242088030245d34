import { expect, test } from 'vitest'
import { DEFAULT_CAST } from './markets.ts'
import { replay } from './replay.ts'
import { SCENES } from './scenes.ts'

// Writing a scene throws where one of its actions does not do what it says.
test.each(Object.entries(SCENES))('%s happens as it is written', (_, write) => {
  const scenario = write(DEFAULT_CAST)
  expect(scenario.actions.length).toBeGreaterThan(3)
  const refused = [...replay(scenario)].filter(({ error }) => error !== null)
  expect(refused.every(({ error }) => error?.name !== 'InvariantBroken')).toBe(true)
})
