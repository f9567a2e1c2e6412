import type { Config } from '@react-router/dev/config'

export default {
	appDirectory: 'app',
	ssr: true,
	// A build is made beside the running one, and replaces it when it is complete.
	buildDirectory: process.env.BUILD_DIRECTORY ?? 'build',
	serverBuildFile: 'main.js',
	routeDiscovery: { mode: 'lazy' },
} satisfies Config
