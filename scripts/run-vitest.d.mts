import type { RunResult } from './test-report.ts'

export function merged(first: RunResult, second: RunResult): RunResult
export function count(result: RunResult): { passed: number; failed: number }
