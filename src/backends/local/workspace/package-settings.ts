/** Variables that say where packages come from, and which tools fetch them: an agent without them could not build what its
 *  user can. Those that name a cache or hold a password of their own are not among them. */
export const PACKAGE_SETTINGS: readonly RegExp[] = [
  /^npm_config_(.*registry|userconfig|globalconfig|cafile|strict_ssl)$/i,
  /^YARN_(NPM_REGISTRY_SERVER|REGISTRY|RC_FILENAME)$/,
  /^PIP_(CONFIG_FILE|INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|FIND_LINKS|TRUSTED_HOST|CERT|DEFAULT_TIMEOUT)$/,
  /^UV_(CONFIG_FILE|DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|FIND_LINKS|INSECURE_HOST|NATIVE_TLS)$/,
  /^CARGO_(REGISTRIES_.*_INDEX|REGISTRY_DEFAULT|HTTP_[A-Z_]+|NET_[A-Z_]+)$/,
  /^RUSTUP_(HOME|TOOLCHAIN|DIST_SERVER)$/,
  /^GO(ENV|PROXY|NOPROXY|PRIVATE|SUMDB|NOSUMDB|INSECURE|FLAGS|ROOT|TOOLCHAIN|VCS)$/,
  /^JAVA_HOME$/,
  /^PLAYWRIGHT_(BROWSERS_PATH|DOWNLOAD_HOST)$/,
];
