import { describeStatuses } from '../testing/statuses.ts'

describeStatuses({
  'POST /api/v1/session': async (desk) => ({ body: await desk.sessionRequest() }),
  'GET /api/v1/sessions': async (desk) => ({ key: await desk.openSession() }),
  'DELETE /api/v1/sessions/:apiKey': async (desk) => {
    const apiKey = await desk.openSession()
    return { key: apiKey, params: { apiKey } }
  },
  'DELETE /api/v1/session': async (desk) => ({ key: await desk.openSession() }),
})
