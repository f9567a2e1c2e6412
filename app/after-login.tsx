import ChatDock from '~/features/chat/components/chat-dock.tsx'
import { MemberBrowser } from '~/offline/member-browser.tsx'

/** What members' pages have besides the page itself, once that stands. In one file, so that a visitor's pages name one. */
export default function AfterLogin({ username }: { username: string }) {
	return (
		<>
			<ChatDock />
			<MemberBrowser username={username} />
		</>
	)
}
