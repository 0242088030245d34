import { describe, expect, it } from 'vitest'
import { latenciesOf, samplesOf } from './metrics.ts'

const TEXT = `# HELP bourse_ready 1 while ready
bourse_ready 1
bourse_keeper_failures_in_a_row{task="perp.fill"} 3
http_request_duration_seconds_bucket{le="0.01",product="perp",method="GET",route="/a",status="200"} 98
http_request_duration_seconds_bucket{le="0.05",product="perp",method="GET",route="/a",status="200"} 99
http_request_duration_seconds_bucket{le="+Inf",product="perp",method="GET",route="/a",status="200"} 100
http_request_duration_seconds_sum{product="perp",method="GET",route="/a",status="200"} 2
http_request_duration_seconds_count{product="perp",method="GET",route="/a",status="200"} 100
http_request_duration_seconds_bucket{le="0.01",product="stock",method="GET",route="/b",status="200"} 0
http_request_duration_seconds_count{product="stock",method="GET",route="/b",status="200"} 1
`

describe('the text of /metrics', () => {
  it('is read with its labels, without comments', () => {
    expect(samplesOf(TEXT).slice(0, 2)).toEqual([
      { name: 'bourse_ready', labels: {}, value: 1 },
      { name: 'bourse_keeper_failures_in_a_row', labels: { task: 'perp.fill' }, value: 3 },
    ])
  })

  it('tells how long answers take, and says so when it is more than it can tell', () => {
    const [first, second] = latenciesOf(samplesOf(TEXT))
    expect(first).toEqual({ product: 'perp', route: 'GET /a', requests: 100, mean: 0.02, p99: 0.05 })
    expect(second).toMatchObject({ product: 'stock', requests: 1, p99: null })
  })
})
