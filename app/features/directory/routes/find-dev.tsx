import { Outlet } from 'react-router'
import { DeveloperSearch } from '../components/developer-search.tsx'

/** What the pages under /find-dev add to the header; its script is theirs and weighs on no other page. */
export const handle = { HeaderSearch: DeveloperSearch }

export default function FindDev() {
	return <Outlet />
}
