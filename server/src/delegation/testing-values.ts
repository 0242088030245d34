import { browserVariables } from '../http/variables.ts'
import { type Environment, readVariables, type Values, type VariablePart } from '../lib/variables.ts'
import { pushVariables } from '../push/variables.ts'
import { delegationVariables } from './variables.ts'

/** What products are configured with where an operator sets nothing but what is given: the defaults that every user has. */
export function configuredWith(own: readonly VariablePart[], environment: Environment = {}): Values {
  const { values, problems } = readVariables(
    [delegationVariables, pushVariables, browserVariables, ...own],
    environment,
  )
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return values
}
