/// The tables of a server's database: one step of SQL for each version. A step is written for SQLite's strict tables;
/// `postgreSQL` translates it to PostgreSQL's dialect.
struct AccessSchema {
  /// The tables that this program reads and writes.
  static let current = AccessSchema(steps: [
    firstTables, walletTables, cardTables, challengeAddresses, deviceOrigins, countedAddresses,
    sessionLimits, scriptOrders, operatorPage, keyGenerations,
    knownNames + authorizingKeys, movedDevices,
  ])

  /// The tables that other tables refer to, as statements name them.
  static let referredTables = Set(
    current.steps.joined().split(separator: "REFERENCES ").dropFirst().map { reference in
      "\"\(reference.prefix { $0 != " " }.lowercased())\""
    })

  /// What upgrades a database of version 0, 1, … by one.
  let steps: [String]

  /// The version of a database with all steps.
  var version: Int { steps.count }
}
