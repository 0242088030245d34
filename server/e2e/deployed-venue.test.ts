import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { complianceAbi } from '../src/chain/abi/compliance.ts'
import { Deployer } from '../src/chain/deploy/deployer.ts'
import { readDeployment } from '../src/chain/deployment.ts'
import { DEVELOPMENT_MNEMONIC } from '../src/chain/embedded/accounts.ts'
import { startAnvil } from '../src/chain/embedded/anvil.ts'
import { chainProfile } from '../src/chain/profiles.ts'
import { testDatabase } from '../src/db/testing.ts'
import { freePort } from '../src/lib/free-port.ts'
import { examplePlan, planAccounts } from '../src/stock/testing/plan.ts'
import { Client, eventually } from './client.ts'
import { createKeyWith } from './keys.ts'
import { Trader } from './trader.ts'
import { runCli, spawnVenue } from './venue.ts'
import { Wallet } from './wallet.ts'

// A venue as an operator brings it up where there is real value (docs/deploying.md): deployed by a plan with the command
// line, administrated by a timelock alone, then started on that chain.

const CHAIN_ID = 8453
const accounts = planAccounts()
const { user, compliance, configure } = accounts

const undo: (() => Promise<unknown>)[] = []
let trader: Trader
let cli: (...args: string[]) => string
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-e2e-'))
  undo.push(() => rm(folder, { recursive: true, force: true }))
  const anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSec: 0.25, mnemonic: DEVELOPMENT_MNEMONIC })
  undo.push(() => anvil.stop())
  const database = await testDatabase()
  undo.push(() => database.drop())
  const environment = {
    DATABASE_URL: database.url,
    CHAIN_RPC_URL: anvil.rpcUrl,
    CHAIN_ID: String(CHAIN_ID),
    DEPLOYMENT_FILE: join(folder, 'deployment.json'),
    SECRETS_KEY: randomBytes(32).toString('hex'),
    SIGNER_SETTLE_KEY: accounts.settle.privateKey,
    SIGNER_ORACLE_KEY: accounts.oracle.privateKey,
    SIGNER_CONFIGURE_KEY: configure.privateKey,
    PORT: String(await freePort()),
  }
  cli = runCli({ ...environment, DEPLOYER_KEY: accounts.admin.privateKey })
  const connection = { rpcUrl: anvil.rpcUrl, profile: chainProfile(CHAIN_ID), pace: 'pipelined' } as const
  const issuer = await Deployer.connect({ ...connection, privateKey: accounts.admin.privateKey })
  const usdc = await issuer.deploy('TestUSDC', [])
  await issuer.call(usdc, 'mint', [accounts.settle.address, 1_000_000n * 1_000_000n])
  await issuer.finish()
  const planFile = join(folder, 'plan.json')
  await writeFile(planFile, JSON.stringify(await examplePlan(usdc.address)))
  expect(cli('deploy', 'venue', planFile)).toContain('The venue stands on Base')
  expect(cli('deploy', 'approvals')).toContain('Approved')
  expect(cli('deploy', 'check', planFile)).toContain('roles are with exactly those who shall have them')

  const { contracts } = await readDeployment(environment.DEPLOYMENT_FILE, CHAIN_ID)
  const officer = new Wallet(anvil.rpcUrl, compliance.privateKey)
  await officer.call(contracts.Compliance as `0x${string}`, complianceAbi, 'addUsers', [[user.address]])
  const running = spawnVenue(environment)
  undo.push(() => running.stop())
  await running.ready
  // The signers that submit for users are in a process of their own.
  const {
    SIGNER_SETTLE_KEY: _settle,
    SIGNER_ORACLE_KEY: _oracle,
    SIGNER_CONFIGURE_KEY: _configure,
    ...rest
  } = environment
  const submitting = spawnVenue({
    ...rest,
    ROLES: 'relayer',
    PORT: String(await freePort()),
    SIGNER_SUBMIT_KEYS: accounts.submit.map(({ privateKey }) => privateKey).join(','),
  })
  undo.push(() => submitting.stop())
  const createKey = createKeyWith(cli)
  const baseUrls = [`http://127.0.0.1:${environment.PORT}/stock`]
  const key = await createKey({ access: 'WRITABLE', user: user.address })
  const client = new Client({ baseUrls, chainId: CHAIN_ID, productType: 'Bourse', key })
  trader = new Trader({ rpcUrl: anvil.rpcUrl, contracts, accounts: [user] }, client, 0)
})
afterAll(async () => {
  for (const step of undo.reverse()) await step()
})

test('a user deposits, buys, sells and withdraws on a venue that belongs to a timelock', {
  timeout: 180_000,
}, async () => {
  await trader.fund(10_000n)
  await trader.cash('deposits', '3000')
  expect(await trader.mUsd()).toBe('3000')
  const filled = (txHash: `0x${string}`) =>
    eventually(
      () => trader.order(txHash),
      ({ historyOrder }) => historyOrder !== null,
    )
  const bought = await filled(await trader.place({ side: 'Buy', notional: '1000' }))
  expect(bought.historyOrder?.status).toBe('Filled')
  const quantity = String(bought.historyOrder?.filledQuantity)
  expect((await filled(await trader.place({ side: 'Sell', quantity }))).historyOrder?.status).toBe('Filled')
  expect((await trader.cash('withdrawals', '100')).operationStatus).toBe('success')
})
