import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** What one test file came to. A skipped test counts as failed, and so does a file that could not be run. */
export interface FileResult {
  /** From the root. */
  readonly file: string
  readonly passed: number
  readonly failed: number
  readonly seconds: number
}

export interface RunResult {
  readonly files: readonly FileResult[]
  /** Errors outside any test that name no file: nobody can tell which file to blame. */
  readonly stray: readonly string[]
}

/** Writes a `RunResult` as JSON to the file that TEST_REPORT names. */
export default class TestReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const { TEST_REPORT } = process.env
    if (TEST_REPORT === undefined) throw new Error('TEST_REPORT must name the file of the report')
    const blamed = new Set(errors.map(pathOf).filter((path) => path !== undefined))
    const files = modules.map((module) => fileResult(module, blamed.has(module.moduleId)))
    const stray = errors.filter((error) => pathOf(error) === undefined).map(({ message }) => message)
    writeFileSync(TEST_REPORT, JSON.stringify({ files, stray } satisfies RunResult))
  }
}

/** The file in whose run an error came up that no test caught. */
function pathOf(error: SerializedError): string | undefined {
  const path: unknown = error.VITEST_TEST_PATH
  return typeof path === 'string' ? path : undefined
}

function fileResult(module: TestModule, isBlamed: boolean): FileResult {
  const tests = [...module.children.allTests()]
  const passed = tests.filter((test) => test.result().state === 'passed').length
  const broken = isBlamed || module.state() !== 'passed'
  return {
    file: relative(process.cwd(), module.moduleId),
    passed,
    failed: tests.length - passed || (broken ? 1 : 0),
    seconds: Math.round(module.diagnostic().duration / 100) / 10,
  }
}
