import ArgumentParser
import Foundation
import Glibc
import ProcessGuard

extension ServeCommand {
  /// Restricts this process when its arguments are those of `serve`. Call it before the process has a second thread.
  static func restrictIfAsked() {
    guard let command = (try? TapServer.parseAsRoot()) as? ServeCommand else { return }
    command.rules.apply()
    SystemCalls([.administration, .programs, .memoryFiles]).giveUp()
  }

  /// The folders that the options name, and the ports on which the server listens. A client of PostgreSQL connects to
  /// hosts and ports that its library chooses.
  private var rules: FileRules {
    var rules = FileRules.base
    rules.read += options.folders
    if let selfSigned = options.selfSigned {
      // A rule needs a folder that exists. The server reports later that it cannot be created.
      _ = unsafe mkdir(selfSigned, 0o700)
      rules.write.append(selfSigned)
    }
    rules.listen = ([listen.port] + [observing.metrics?.port].compactMap(\.self)).map { UInt16($0) }
    switch database {
    case .file(let path):
      // SQLite makes its further files beside the file to which a link leads.
      let folder = ServingOptions.folder(of: URL(filePath: path).resolvingSymlinksInPath().path)
      rules.write += [ServingOptions.folder(of: path), folder]
      // SQLite would write large intermediate results to /var/tmp. The call copies the text.
      _ = unsafe setenv("SQLITE_TMPDIR", folder, 0)
    case .postgreSQL(let url):
      rules.connect = nil
      rules.read += PostgreSQLFiles.paths(url: url, ProcessInfo.processInfo.environment)
    case .memory, .unknown: break
    }
    return rules
  }
}

extension ServingOptions {
  /// The files that the server reads at the start and after SIGHUP.
  private var files: [String] { [certificate, key, token, settings, faults].compactMap(\.self) }

  /// The folders of these files, and those of the files to which they link.
  fileprivate var folders: [String] {
    files.flatMap { [Self.folder(of: $0), Self.folder(of: URL(filePath: $0).resolvingSymlinksInPath().path)] }
  }

  fileprivate static func folder(of path: String) -> String {
    URL(filePath: path).deletingLastPathComponent().path
  }

  /// Why the server cannot read some of its files again although its user could: a sentence for each.
  var outsideOfRules: [String] {
    guard let rules = ProcessProtection.fileRules else { return [] }
    return (files + [selfSigned].compactMap(\.self)).filter { !rules.allowsReading($0) }.map {
      "\($0) is in a folder that this server gave up at its start; restart it to read this file"
    }
  }
}

/// The files and folders of a user that the client library of PostgreSQL reads.
private enum PostgreSQLFiles {
  /// Files of the user, of the environment, and of the parameters of the URL, such as `sslrootcert`.
  static func paths(url: String, _ environment: [String: String]) -> [String] {
    let items = URLComponents(string: url)?.queryItems ?? []
    let named = items.compactMap(\.value).filter { $0.hasPrefix("/") }
    let home = environment["HOME"].map { ["\($0)/.postgresql", "\($0)/.pgpass", "\($0)/.pg_service.conf"] } ?? []
    let variables = [
      "PGPASSFILE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "PGSSLCRL",
      "PGSSLCRLDIR",
    ]
    return home + (named + variables.compactMap { environment[$0] }).map(place)
  }

  /// The folder of a file, so that a file that replaces it can be read; the path itself when it is a folder.
  private static func place(of path: String) -> String {
    var isFolder: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    return exists && !isFolder.boolValue ? ServingOptions.folder(of: path) : path
  }
}
