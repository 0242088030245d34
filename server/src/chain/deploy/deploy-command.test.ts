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

const deploymentFile = () => join(folder, 'deployment.json')

async function deploy(command: 'venue' | 'check' | 'approvals', own: object = plan, of = products): Promise<string> {
  const file = join(folder, 'plan.json')
  await writeFile(file, JSON.stringify(own))
  const env = {
    CHAIN_RPC_URL: anvil.rpcUrl,
    CHAIN_ID: String(CHAIN_ID),
    DEPLOYMENT_FILE: deploymentFile(),
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
