import { NotFound } from '~/lib/errors.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { Prose } from '~/ui/prose.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { getLegalPage, legalPages } from '../legal.server.ts'
import { legalKind, legalKinds, legalPath, legalTitles } from '../legal.view.ts'
import type { Route } from './+types/document'

export function loader({ url }: Pick<Route.LoaderArgs, 'url'>) {
	return withHttpErrors(async () => {
		const kind = legalKind(url.pathname.slice(1))
		const page = legalPages.find(({ path }) => path === url.pathname)
		if (!kind || !page) throw new NotFound('There is no such page.')
		return getLegalPage(kind, page.read(url).version)
	})
}

export function meta({ matches, loaderData }: Pick<Route.MetaArgs, 'matches' | 'loaderData'>) {
	const kind = loaderData?.kind ?? 'terms'
	const isNewest = loaderData?.isNewest ?? false
	return pageMeta(matches, { title: legalTitles[kind], canonical: legalPath(kind), noindex: !isNewest })
}

/** Terms, privacy policy or imprint, with earlier versions. */
export default function LegalDocument({ loaderData: page }: Route.ComponentProps) {
	const { kind, html, version, isNewest, versions } = page
	return (
		<article className="max-w-read pt-6 pb-10 md:pt-8">
			<h1 className="text-2xl font-bold">{legalTitles[kind]}</h1>
			<p className="meta mt-1">
				{legalKinds
					.filter((other) => other !== kind)
					.map((other) => (
						<Link key={other} className="link mr-4" to={legalPath(other)}>
							{legalTitles[other]}
						</Link>
					))}
				{version && (
					<>
						{isNewest ? 'Since ' : 'An earlier version, of '}
						<LocalTime at={version.at} />
					</>
				)}
			</p>
			{!isNewest && (
				<p className="mt-3">
					<Link className="link" to={legalPath(kind)}>
						Read the current version
					</Link>
				</p>
			)}
			<div className="mt-4">
				<Prose html={html} />
			</div>
			{versions.length > 1 && (
				<section className="mt-10" aria-labelledby="versions">
					<SectionHeading id="versions" title="Versions" />
					<ul>
						{versions.map(({ id, at, note, isWithdrawn }) => (
							<li key={id} className="border-b border-line py-2.5">
								<Link className="link" to={`${legalPath(kind)}?version=${id}`}>
									<LocalTime at={at} />
								</Link>
								{isWithdrawn ? ' Withdrawn.' : note && ` ${note}`}
							</li>
						))}
					</ul>
				</section>
			)}
		</article>
	)
}
