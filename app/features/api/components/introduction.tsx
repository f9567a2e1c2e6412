import { Link } from 'react-router'
import type { ApiDocs } from '../docs.present.ts'
import { Shell } from './shell.tsx'

/** What holds for every address. */
export function Introduction({ base, rates }: Pick<ApiDocs, 'base' | 'rates'>) {
	return (
		<div className="prose mt-2 max-w-[44rem]">
			<p>
				The forum and your own messages as JSON, below <code>{base}</code>. The same as a description for programs:{' '}
				<a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).
			</p>
			<p>
				What every visitor sees can be read without a login. For everything else make an{' '}
				<Link to="/settings/tokens">access token</Link> and send it with each call:
			</p>
			<Shell label="Example: a call with a token">{`export DEVQUAD_TOKEN=dq_…\ncurl -H "Authorization: Bearer $DEVQUAD_TOKEN" ${base}/me`}</Shell>
			<ul>
				<li>
					A token with <code>read</code> sees what you see; with <code>write</code> it asks, comments and changes what
					is yours; with <code>moderate</code> it has your rights as a moderator, too. Your conversations are open to{' '}
					<code>messages:read</code> and <code>messages:write</code> alone. None contains another.
				</li>
				<li>
					Lists have a <code>next</code>: send it back as <code>cursor</code> for the page after, or follow the{' '}
					<code>Link</code> header. At the end it is null.
				</li>
				<li>
					A refusal is <code>application/problem+json</code> with the status, a sentence in <code>detail</code>, and for
					forms a message per field in <code>errors</code>.
				</li>
				<li>
					A member has {rates.read} calls that read and {rates.write} that write a minute, an address without a login
					the same. <code>RateLimit</code> says what is left; after 429 wait <code>Retry-After</code> seconds.
				</li>
				<li>
					Answers carry an <code>ETag</code>: send it as <code>If-None-Match</code>, and what has not changed is a short
					304.
				</li>
			</ul>
		</div>
	)
}
