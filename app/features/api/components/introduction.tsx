import { Link } from 'react-router'
import type { ApiDocs } from '../docs.view.ts'
import { Shell } from './shell.tsx'

/** What holds for every address. */
export function Introduction({ base, rates }: Pick<ApiDocs, 'base' | 'rates'>) {
	return (
		<div className="prose mt-2 max-w-[44rem]">
			<p>
				The forum and your own messages as JSON, below <code>{base}</code>. As an OpenAPI description:{' '}
				<a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).
			</p>
			<p>
				What every visitor sees can be read without a login. For everything else create an{' '}
				<Link to="/settings/tokens">access token</Link> and send it with each call:
			</p>
			<Shell label="Example: a call with a token">{`export DEVQUAD_TOKEN=dq_…\ncurl -H "Authorization: Bearer $DEVQUAD_TOKEN" ${base}/me`}</Shell>
			<ul>
				<li>
					A token with <code>read</code> sees what you see; with <code>write</code> it asks, comments and edits your
					posts; with <code>moderate</code> it also has your rights as a moderator. Your conversations need{' '}
					<code>messages:read</code> or <code>messages:write</code>. No permission includes another.
				</li>
				<li>
					Lists have a <code>next</code>: send it back as <code>cursor</code> for the next page, or follow the{' '}
					<code>Link</code> header. At the end it is null.
				</li>
				<li>
					Errors are <code>application/problem+json</code> with the status, a sentence in <code>detail</code>, and for
					forms a message for each field in <code>errors</code>.
				</li>
				<li>
					A member, or an address without a login, has {rates.read} calls that read and {rates.write} that write each
					minute. <code>RateLimit</code> says how many are left; after a 429, wait <code>Retry-After</code> seconds.
				</li>
				<li>
					Answers have an <code>ETag</code>: send it as <code>If-None-Match</code> to get a short 304 if nothing has
					changed.
				</li>
			</ul>
		</div>
	)
}
