import { Outlet } from 'react-router'
import { DeveloperSearch } from '../components/developer-search.tsx'

/** The header search of pages under /find-dev; its script is loaded only there. */
export const handle = { HeaderSearch: DeveloperSearch }

export default function FindDev() {
	return <Outlet />
}
