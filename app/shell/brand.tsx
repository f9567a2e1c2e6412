import { Link } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'

/** The mark and the site's name, leading home. */
export function Brand() {
	const { siteName } = useRootData()
	return (
		<Link
			className="flex min-w-0 items-center md:max-w-48 md:flex-none lg:max-w-72 gap-2 text-[1.0625rem] leading-6 font-bold tracking-tight"
			to="/"
		>
			<svg className="size-5 flex-none" viewBox="0 0 20 20" aria-hidden="true">
				<path d="M17 9V3H3v14h7" fill="none" stroke="currentColor" strokeWidth="2" />
				<path className="fill-ivy" d="M13 12h5v6h-5z" />
			</svg>
			<span className="truncate">{siteName}</span>
		</Link>
	)
}
