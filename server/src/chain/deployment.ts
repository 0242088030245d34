import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { AppError, defineReasons } from '../lib/errors.ts'
import { replaceFile } from '../lib/replace-file.ts'
import type { Deployment, Hex } from './types.ts'

export const deploymentReasons = defineReasons({
  deployment_incomplete: {
    kind: 'internal',
    retryable: false,
    doc: 'The deployment file of this chain does not name a contract that the venue needs. The operator has to complete it.',
  },
})

const address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const schema = Type.Object({
  chainId: Type.Integer({ minimum: 1 }),
  startBlock: Type.Integer({ minimum: 0 }),
  contracts: Type.Record(Type.String(), address),
  implementations: Type.Optional(Type.Record(Type.String(), address)),
})

/**
 * Reads a deployment file: `{"chainId": …, "startBlock": …, "contracts": {"StockRouter": "0x…", …}}`. Throws naming
 * the file and the first thing that is wrong with it.
 */
export async function readDeployment(file: string, chainId: number): Promise<Deployment> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`the deployment file ${file} cannot be read; DEPLOYMENT_FILE names another one`, { cause })
  })
  const value = parse(file, text)
  const [problem] = Value.Errors(schema, value)
  if (problem) throw new Error(`${file} is no deployment file: ${problem.instancePath || 'it'} ${problem.message}`)
  const { startBlock, contracts, implementations, ...rest } = value as Type.Static<typeof schema>
  if (rest.chainId !== chainId) throw new Error(`${file} is for chain ${rest.chainId}, expected CHAIN_ID ${chainId}`)
  const lower = (addresses: Readonly<Record<string, string>>): Record<string, Hex> =>
    Object.fromEntries(Object.entries(addresses).map(([name, at]) => [name, at.toLowerCase() as Hex]))
  const named = { chainId, startBlock: BigInt(startBlock), contracts: lower(contracts) }
  return implementations === undefined ? named : { ...named, implementations: lower(implementations) }
}

/** Where the deployment of a chain is kept unless DEPLOYMENT_FILE says otherwise. */
export const deploymentFileOf = (chainId: number): string =>
  join(import.meta.dirname, '..', '..', '..', 'contracts', 'deployments', `${chainId}.json`)

export async function writeDeployment(file: string, deployment: Deployment): Promise<void> {
  const { startBlock, ...rest } = deployment
  await mkdir(dirname(file), { recursive: true })
  await replaceFile(file, `${JSON.stringify({ startBlock: Number(startBlock), ...rest }, null, 2)}\n`)
}

/** The address of a contract by its name in the deployment file. Throws `deployment_incomplete` when it is not there. */
export function contractAddress({ chainId, contracts }: Deployment, name: string): Hex {
  const found = contracts[name]
  if (found) return found
  throw new AppError(deploymentReasons.deployment_incomplete, `the deployment of chain ${chainId} has no ${name}`)
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${file} is not JSON`, { cause })
  }
}
