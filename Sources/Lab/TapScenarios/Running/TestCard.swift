internal import CardFaults
public import EMVCard
internal import ISO7816
internal import JSON
internal import Octets

/// The card of a scenario that judges a terminal, compiled with its changes.
public struct TestCard: Sendable {
  /// The profile with its changes, as JSON.
  public let profile: [UInt8]
  /// The card.
  public let image: CardImage
  /// The AIDs of the profile before its changes.
  let names: [[UInt8]]

  /// The AIDs that the changes have left; those of the profile when the changes have left none, since such a scenario is
  /// about an application that no terminal has.
  var ownNames: [[UInt8]] {
    let left = image.applications.map(\.aid.octets).filter(names.contains)
    return left.isEmpty ? names : left
  }

  /// The keys of certification authorities that a terminal needs to check the certificates of the card.
  var authorityKeys: [TestedCapabilities.AuthorityKey] {
    let applications = (try? JSONValue(parsing: profile))?["applications"]?.list ?? []
    return applications.filter { $0["certificationAuthority"] != nil }.compactMap { application in
      let objects = (application["records"]?.list ?? []).flatMap { $0["data"]?.list ?? [] }
        .compactMap { $0.text.flatMap { try? [UInt8](hex: $0) } }
      guard let aid = application["aid"]?.text.flatMap({ try? [UInt8](hex: $0) }),
        let index = objects.first(where: { $0.count == 2 && $0.first == 0x8F })?.last
      else { return nil }
      return TestedCapabilities.AuthorityKey(provider: Array(aid.prefix(5)), index: index)
    }
  }
}

extension ScenarioFile {
  /// Reads the card profile, changes it and compiles it. Every problem is one of the scenario.
  static func testCard(
    _ test: TerminalTest, beside path: String, _ root: ScenarioNode, _ reader: inout ScenarioReader
  ) -> TestCard? {
    let node = root.member("card") ?? root
    guard !test.card.file.isEmpty else { return nil }
    let file = node.member("file") ?? node
    let profile: JSONValue
    do {
      profile = try JSONValue(parsing: content(of: place(of: test.card.file, beside: path)))
    } catch {
      reader.note(file, "\(error)")
      return nil
    }
    let changed = changed(profile, test.card.changes, node, &reader)
    do throws(CardProfileError) {
      let json = Array(changed.compact.utf8)
      let names = profile["applications"]?.list?.compactMap { $0["aid"]?.text.flatMap { try? [UInt8](hex: $0) } }
      return TestCard(profile: json, image: try CardFaultPlan.checkedImage(json: json), names: names ?? [])
    } catch {
      for problem in error.problems { reader.note(place(of: problem.path, in: node) ?? file, "\(problem)") }
      return nil
    }
  }

  /// Checks that the card that a scenario with steps names can be read. Every problem is one of the scenario.
  static func checkCard(
    of scenario: TapScenario, beside path: String, _ root: ScenarioNode, _ reader: inout ScenarioReader
  ) {
    guard let name = scenario.card.file else { return }
    let node = root.member("card")?.member("file") ?? root
    do throws(ScenarioFileError) {
      _ = try content(of: place(of: name, beside: path))
    } catch { reader.note(node, "\(error)") }
  }

  private static func changed(
    _ profile: JSONValue, _ changes: [TerminalTest.Change], _ node: ScenarioNode, _ reader: inout ScenarioReader
  ) -> JSONValue {
    changes.reduce(profile) { profile, change in
      let next = profile.setting(change.path, to: change.value)
      if next == profile {
        let place = place(of: change.path, in: node) ?? node
        reader.note(place, "the change changes nothing: is the path right, and the value another one?")
      }
      return next
    }
  }

  /// The change whose path is that of a problem or leads to it.
  private static func place(of path: String, in node: ScenarioNode) -> ScenarioNode? {
    guard case .map(let changes)? = node.member("changes")?.content else { return nil }
    return changes.first { path.hasPrefix($0.key) || $0.key.hasPrefix(path) }?.value
  }
}
