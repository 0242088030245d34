// What a person does with the app, by what is written on it.
import type { Page } from 'playwright-core'
import { words } from '../src/stock/strings.ts'
import { common, walletWords } from '../src/strings.ts'

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })

/** Connects the development wallet with one of its accounts. */
export async function connect(page: Page, account?: string): Promise<void> {
  await button(page, walletWords.connect).first().click()
  await page.getByRole('dialog').getByRole('button', { name: walletWords.developmentWallet }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  if (!account) return
  await page.locator('.top-tools .button.plain').click()
  await page.getByRole('combobox', { name: walletWords.account, exact: true }).selectOption(account.toLowerCase())
  await page.getByRole('dialog').getByRole('button', { name: common.close, exact: true }).last().click()
}

/** Agrees to what the page shows before a signature. Answers what it showed. */
export async function agree(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: walletWords.confirmTitle })
  await dialog.waitFor()
  const shown = (await dialog.textContent()) ?? ''
  await dialog.getByRole('button', { name: walletWords.continue }).click()
  return shown
}

export async function signIn(page: Page): Promise<string> {
  await button(page, walletWords.signIn).first().click()
  const shown = await agree(page)
  await button(page, walletWords.signIn).first().waitFor({ state: 'detached' })
  return shown
}

export async function goTo(page: Page, screen: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click()
  await page.getByRole('navigation').locator(`[aria-current="page"]`, { hasText: screen }).waitFor()
}

/** Deposits cash: approves it, then sends it. Answers what the page showed before each signature. */
export async function deposit(page: Page, amount: string): Promise<readonly string[]> {
  await goTo(page, words.transfers)
  await page.getByLabel(words.quantity, { exact: true }).fill(amount)
  await button(page, new RegExp(`^${words.deposit} `)).click()
  return [await agree(page), await agree(page)]
}

/** Chooses a stock on the screen for trading. */
export async function openStock(page: Page, symbol: string): Promise<void> {
  await goTo(page, words.trade)
  await page.getByLabel(words.choose, { exact: true }).selectOption(symbol)
  await page.getByLabel(words.chartLabel(symbol)).first().waitFor()
}
