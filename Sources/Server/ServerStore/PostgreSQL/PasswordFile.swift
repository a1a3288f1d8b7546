/// The password file of libpq for a PostgreSQL database. libpq reads it whenever it opens a connection.
public enum PasswordFile {
  /// Returns the file that libpq reads for a database (libpq, "The Password File"), which need not exist.
  ///
  /// - Parameters:
  ///   - url: The URL of the database.
  ///   - environment: The variables of the process.
  /// - Returns: nil when the password is in the URL or in `PGPASSWORD`, and for a URL that libpq cannot read.
  public static func path(postgreSQL url: String, _ environment: [String: String]) -> String? {
    guard let values = PostgreSQLAddress.values(url) else { return nil }
    func value(_ keyword: String, _ variable: String) -> String? {
      [values[keyword], environment[variable]].compactMap(\.self).first { !$0.isEmpty }
    }
    guard value("password", "PGPASSWORD") == nil else { return nil }
    return value("passfile", "PGPASSFILE") ?? environment["HOME"].map { $0 + "/.pgpass" }
  }
}
