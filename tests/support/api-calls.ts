import { handleApiRequest } from '~/features/api/mount.server.ts'

export interface ApiCall {
	token?: string
	body?: unknown
	headers?: Record<string, string>
}

/** Calls the API in this process. A body other than text is sent as JSON. */
export async function callApi(method: string, path: string, { token, body, headers }: ApiCall = {}): Promise<Response> {
	return handleApiRequest(
		new Request(`http://localhost/api/v1${path}`, {
			method,
			headers: {
				...(token && { Authorization: `Bearer ${token}` }),
				...(body !== undefined && { 'Content-Type': 'application/json' }),
				...headers,
			},
			...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
		}),
	)
}
