import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorPoolAbi } from '../abi/operator-pool.ts'
import { readDeployment } from '../deployment.ts'
import { DEVELOPMENT_MNEMONIC, developmentAccounts } from '../embedded/accounts.ts'
import { type Anvil, startAnvil } from '../embedded/anvil.ts'
import { contractRead, readContracts } from '../read.ts'
import { createRpc, type Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import { deployCommand } from './deploy-command.ts'
import type { ProductDeployment } from './product-deployment.ts'
import { ADMIN_ROLE, roleHash, rolesAbi } from './roles.ts'
import { startTwoNodes } from './testing-two-nodes.ts'

// Two products side by side: each has its fields of the plan, its step and its roles, and knows the other by its addresses.

const CHAIN_ID = 31_337
const { users, admin: deployer, submit } = developmentAccounts()
const [proposer, guardian] = users.map(({ address }) => address) as [Hex, Hex]
const [first, second] = submit.map(({ address }) => address) as [Hex, Hex]
const addressSchema = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })

/** A product of one contract: a router, or a pool that serves the router of another product. */
function product(name: string, router?: string): ProductDeployment {
  return {
    planFields: { [name]: Type.Object({ operator: addressSchema, guardian: addressSchema }) },
    async plan(fields) {
      const plan = (fields as Record<string, { operator: Hex; guardian: Hex }>)[name]
      if (!plan) throw new Error(`no ${name}`)
      return {
        names: [name],
        administrated: [name],
        owned: [],
        deployerRoles: [[name, 'GUARDIAN_ROLE']],
        signers: [plan.operator],
        guardians: [plan.guardian],
        longestExitSec: 0,
        proxies: [name],
        allowedCalls: () => [],
        async deploy(sender, _admin, addresses) {
          const { address } = router
            ? await sender.deployProxy('OperatorPool', [], [sender.address])
            : await sender.deployProxy('OneClickRouter', [], [sender.address, 86_400, 0n])
          for (const [role, member] of [
            ['OPERATOR_ROLE', plan.operator],
            ['GUARDIAN_ROLE', plan.guardian],
            ['GUARDIAN_ROLE', sender.address],
          ] as const) {
            await sender.call({ address, abi: rolesAbi }, 'grantRole', [roleHash(role), member])
          }
          const known = router && addresses[router]
          if (known) await sender.call({ address, abi: operatorPoolAbi }, 'setRouter', [known, true])
          return { [name]: address }
        },
        finalAnswers: async () => [],
        finalRoles: (admin) => [
          { contractName: name, role: ADMIN_ROLE, members: [admin] },
          { contractName: name, role: 'OPERATOR_ROLE', members: [plan.operator] },
          { contractName: name, role: 'GUARDIAN_ROLE', members: [plan.guardian] },
        ],
      }
    },
    approve: async (_settler, _rpc, addresses) => [addresses[name] as Hex],
  }
}

const products = [product('one'), product('two', 'one')]
const plan = {
  timelock: { delaySec: 1, proposers: [proposer] },
  one: { operator: first, guardian },
  two: { operator: second, guardian },
}

let anvil: Anvil
let rpc: Rpc
let folder: string
beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSec: 0.1, mnemonic: DEVELOPMENT_MNEMONIC })
  rpc = createRpc({ url: anvil.rpcUrl })
  folder = await mkdtemp(join(tmpdir(), 'bourse-products-'))
})
afterAll(async () => {
  await anvil.stop()
  await rm(folder, { recursive: true })
})

const deploymentFile = (name = 'deployment.json') => join(folder, name)

interface Place {
  readonly rpcUrl: string
  readonly deploymentFile: string
}
const usual = (): Place => ({ rpcUrl: anvil.rpcUrl, deploymentFile: deploymentFile() })

type Command = 'venue' | 'check' | 'approvals'
async function deploy(command: Command, own: object = plan, of = products, place = usual()): Promise<string> {
  const file = join(folder, 'plan.json')
  await writeFile(file, JSON.stringify(own))
  const env = {
    CHAIN_RPC_URL: place.rpcUrl,
    CHAIN_ID: String(CHAIN_ID),
    DEPLOYMENT_FILE: place.deploymentFile,
    DEPLOYER_KEY: deployer.privateKey,
    SIGNER_SETTLE_KEY: deployer.privateKey,
  }
  return deployCommand(command === 'approvals' ? [command] : [command, file], { env, products: of, progress: () => {} })
}

describe('a plan of several products is refused before anything is sent', () => {
  const { two, ...withoutTwo } = plan
  it.each<[string, object, string]>([
    ['without the fields of one', withoutTwo, 'two'],
    ['with fields of none', { ...plan, three: two }, '/three is no field of a plan'],
    ['with something wrong in the second', { ...plan, two: { ...two, operator: '0x1' } }, '/two/operator'],
    [
      'with a signer of one as guardian of the other',
      { ...plan, two: { ...two, guardian: first } },
      `${first} cannot be both`,
    ],
  ])('%s', async (_, own, problem) => {
    const sent = await rpc.call<Hex>('eth_getTransactionCount', [deployer.address, 'latest'])
    await expect(deploy('venue', own)).rejects.toThrow(problem)
    expect(await rpc.call<Hex>('eth_getTransactionCount', [deployer.address, 'latest'])).toBe(sent)
  })

  it('with a name that both add', async () => {
    const same: ProductDeployment = { ...product('two'), plan: product('one').plan }
    await expect(deploy('venue', plan, [product('one'), same])).rejects.toThrow('one is listed twice')
  })
})

describe('a venue of several products', { timeout: 120_000 }, () => {
  it('has each step in its order and every role handed over', async () => {
    expect(await deploy('venue')).toContain('The venue stands on')
    const { contracts } = await readDeployment(deploymentFile(), CHAIN_ID)
    const { one, two, Timelock } = contracts as Record<'one' | 'two' | 'Timelock', Hex>
    expect(await deploy('check')).toMatch(/^10 roles are with exactly those who shall have them/)
    const roles = [ADMIN_ROLE, 'GUARDIAN_ROLE', 'OPERATOR_ROLE']
    const held = (address: Hex, account: Hex) =>
      roles.map((role) => contractRead({ address, abi: rolesAbi }, 'hasRole', roleHash(role), account))
    const results = await readContracts(
      rpc,
      [one, two].flatMap((at) => held(at, deployer.address)),
    )
    expect(results).toEqual(results.map(() => false))
    expect(await readContracts(rpc, held(two, Timelock))).toEqual([true, false, false])
    expect(await deploy('approvals')).toBe(`Approved: ${one}, ${two}\n`)
  })

  it('is checked as a whole: a role that is wrong in one product is named', async () => {
    const own = { ...plan, two: { ...plan.two, operator: first } }
    await expect(deploy('check', own)).rejects.toThrow(`OPERATOR_ROLE of two: ${second} instead of ${first}`)
  })
})

describe('a venue of one product', { timeout: 120_000 }, () => {
  const { two: _, ...onlyOne } = plan
  const one = [product('one')]

  it.each([
    ['the read after a receipt', ['eth_blockNumber', 'eth_call', 'eth_getStorageAt', 'eth_getLogs']],
    ['the estimate after a receipt', ['eth_estimateGas']],
  ])(
    'stands though of two nodes behind one address the other answers %s, of the block before',
    async (name, methods) => {
      const nodes = await startTwoNodes(anvil.rpcUrl, methods)
      const file = deploymentFile(`${name}.json`)
      try {
        const place = { rpcUrl: nodes.url, deploymentFile: file }
        expect(await deploy('venue', onlyOne, one, place)).toContain('The venue stands on')
        expect(nodes.answeredBehind()).toBeGreaterThan(0)
      } finally {
        await nodes.stop()
      }
      const later = { rpcUrl: anvil.rpcUrl, deploymentFile: file }
      expect(await deploy('check', onlyOne, one, later)).toMatch(/^7 roles are with exactly those who shall have them/)
    },
  )

  it('keeps its addresses where the check fails, until it passes', async () => {
    const place = { rpcUrl: anvil.rpcUrl, deploymentFile: deploymentFile('unchecked.json') }
    const unchecked = `${place.deploymentFile}.unchecked`
    const wrong = { ...onlyOne, one: { ...onlyOne.one, operator: second } }
    const away: ProductDeployment = {
      ...product('one'),
      plan: async (fields, at) => {
        const planned = await product('one').plan(fields, at)
        return { ...planned, finalAnswers: () => Promise.reject(new Error('the node is away')) }
      },
    }
    await expect(deploy('venue', onlyOne, [away], place)).rejects.toThrow('the node is away')
    expect([place.deploymentFile, unchecked].map(existsSync)).toEqual([false, true])
    await expect(deploy('venue', onlyOne, one, place)).rejects.toThrow(`${unchecked} exists`)
    await expect(deploy('check', wrong, one, place)).rejects.toThrow(`OPERATOR_ROLE of one: ${first} instead of`)
    expect([place.deploymentFile, unchecked].map(existsSync)).toEqual([false, true])
    expect(await deploy('check', onlyOne, one, place)).toContain(`${place.deploymentFile} has the addresses`)
    expect([place.deploymentFile, unchecked].map(existsSync)).toEqual([true, false])
    const { implementations } = await readDeployment(place.deploymentFile, CHAIN_ID)
    expect(Object.keys(implementations ?? {})).toEqual(['one'])
    expect(await deploy('check', onlyOne, one, place)).toMatch(/^7 roles/)
  })
})
