#!/usr/bin/env bash
# The Helm chart: lint, schemas of values and of Kubernetes, a policy linter, checks across objects, what it refuses,
# and a real server with the rendered settings and probes, which the chart's own test calls. deploy/kubernetes is what
# the chart renders. `helm.sh --write` renders that again. Installs, pinned, what it needs; needs no cluster.
# HASHLANE_SERVER_BIN is another server.
# shellcheck source=deploy/tests/lib.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
need curl go openssl promtool python3 setpriv sha256sum unshare

# Not what is installed there: `helm` and the others are of these versions.
helm_version=v4.3.1
kubeconform_version=v0.8.0
kube_score_version=v1.20.0
kubernetes_validate_version=1.37.0
prometheus_operator_version=v0.85.0
cert_manager_version=v1.21.2
# The least of Chart.yaml, and the newest that there are schemas of.
kubernetes_versions=(1.30 1.37)

chart=$root/deploy/helm/hashlane
plain=$root/deploy/kubernetes
kept=${CARGO_TARGET_DIR:-$root/target}/ci-tools/helm
pins=$kept/installed

install_program() { GOBIN=$kept/bin go install "$1"; }

# crd MODULE@VERSION FILE: a module's file.
crd() {
    local folder
    folder=$(go mod download -json "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["Dir"])')
    [[ -s $folder/$2 ]] || fail "$1 has no $2"
    echo "$folder/$2"
}

install() {
    local wanted
    wanted=$(declare -p helm_version kubeconform_version kube_score_version kubernetes_validate_version \
        prometheus_operator_version cert_manager_version kubernetes_versions; sha256sum <"$here/helm/kube_schemas.py")
    [[ -e $pins && $(<"$pins") == "$wanted" ]] && return
    rm -rf -- "$kept"
    install_program "helm.sh/helm/v4/cmd/helm@$helm_version"
    install_program "github.com/yannh/kubeconform/cmd/kubeconform@$kubeconform_version"
    install_program "github.com/zegl/kube-score/cmd/kube-score@$kube_score_version"
    # Its schemas alone.
    python3 -m pip install --quiet --disable-pip-version-check --retries 5 --root-user-action ignore --no-deps --target "$work/validate" \
        "kubernetes-validate==$kubernetes_validate_version"
    local operator=github.com/prometheus-operator/prometheus-operator@$prometheus_operator_version
    local crds=() name version
    for name in podmonitors prometheusrules; do
        crds+=("$(crd "$operator" "example/prometheus-operator-crd/monitoring.coreos.com_$name.yaml")")
    done
    crds+=("$(crd "github.com/cert-manager/cert-manager@$cert_manager_version" deploy/crds/cert-manager.io_certificates.yaml)")
    for version in "${kubernetes_versions[@]}"; do
        python3 "$here/helm/kube_schemas.py" \
            "$work/validate/kubernetes_validate/kubernetes-json-schema/v$version.0-local-strict" \
            "$kept/schemas/$version" "${crds[@]}"
    done
    echo "$wanted" >"$pins"
}

# helm says on each load that a link of the chart leads out of it, as it is meant to.
run_helm() { { "$kept/bin/helm" "$@" 2>&1 >&3 | { grep -v 'found symbolic link' >&2 || true; }; } 3>&1; }

# render OUT [OPTION...]: all objects, the test's too.
render() { run_helm template try "$chart" --namespace hashing --kube-version "${kubernetes_versions[-1]}.0" "${@:2}" >"$1"; }

# render_plain FOLDER: the files of deploy/kubernetes. Helm does not manage what kubectl applies.
render_plain() {
    local file name
    run_helm template hashlane "$chart" --values "$plain/values.yaml" --output-dir "$work/plain" >/dev/null
    mkdir -p "$1"
    for file in "$work"/plain/hashlane/templates/*.yaml; do
        name=$(basename -- "$file")
        {
            echo "# Rendered from deploy/helm/hashlane: deploy/tests/helm.sh --write"
            sed -e '/^---$/d; /^# Source: /d; /^ *helm.sh\/chart: /d; /^ *app.kubernetes.io\/managed-by: /d' \
                -e '${/^$/d}' -- "$file"
        } >"$1/$name"
    done
}

# Findings of kube-score that are meant.
accepted_everywhere=(
    # A tag or a digest says which image; a node that has it starts pods while the registry is down.
    container-image-pull-policy
    # Pods spread over nodes by topologySpreadConstraints.
    deployment-has-host-podantiaffinity
)
declare -A accepted=(
    # The init container that gives the folder of the socket to the server.
    [node]=container-security-context-user-group-id
    # A development cluster has one pod.
    [small]=deployment-replicas
)

# score NAME FILE: the policy linter on what a release leaves in the cluster.
score() {
    local options=() test
    for test in "${accepted_everywhere[@]}" ${accepted[$1]:-}; do options+=(--ignore-test "$test"); done
    "$kept/bin/kube-score" score --kubernetes-version "v${kubernetes_versions[-1]}" --exit-one-on-warning \
        --output-format ci "${options[@]}" "$2" >"$work/score.txt" ||
        { grep -E '^\[(CRITICAL|WARNING)\]' "$work/score.txt" >&2; fail "kube-score finds faults in $1"; }
}

# conform FILE...: the objects are what Kubernetes and the operators accept, without unknown fields.
conform() {
    local version
    for version in "${kubernetes_versions[@]}"; do
        "$kept/bin/kubeconform" -strict -summary \
            -schema-location "$kept/schemas/$version/{{.ResourceKind}}{{.KindSuffix}}.json" "$@" ||
            fail "Kubernetes $version would not accept that"
    done
}

# refuse TEXT OPTION...: the chart must not render with the options, and say why.
refuse() {
    if render /dev/null "${@:2}" 2>"$work/refused.txt"; then fail "the chart accepts ${*:2}"; fi
    grep -qF -- "$1" "$work/refused.txt" || { cat "$work/refused.txt" >&2; fail "no '$1' with ${*:2}"; }
}

# annotation OPTION...: the checksum that makes new pods.
checksum() { render "$work/checksum.yaml" "$@"; grep -m1 'checksum/settings' "$work/checksum.yaml"; }

# The installed tools tell apart what is right from what is not.
test_tools() {
    render "$work/right.yaml"
    sed 's/^\( *\)replicas: 2/\1replicas: 2\n\1replica: 2/' "$work/right.yaml" >"$work/wrong.yaml"
    if (conform "$work/wrong.yaml") >/dev/null 2>&1; then fail "kubeconform accepts an unknown field"; fi
    sed 's/readOnlyRootFilesystem: true/readOnlyRootFilesystem: false/' "$work/right.yaml" >"$work/wrong.yaml"
    if (score default "$work/wrong.yaml") >/dev/null 2>&1; then fail "kube-score accepts a writable root"; fi
    sed 's/terminationGracePeriodSeconds: 45/terminationGracePeriodSeconds: 44/' "$work/right.yaml" >"$work/wrong.yaml"
    if python3 "$here/manifests.py" "$work/wrong.yaml" >/dev/null 2>&1; then fail "manifests.py accepts 44 s"; fi
}

test_refusals() {
    refuse "no client could reach the server" --set grpc.mode=none
    refuse "cannot share a socket" --set nodeSocket.enabled=true
    refuse "speak no TLS" --set probes.readiness=grpc
    refuse "a DaemonSet has a pod on each node" --set kind=DaemonSet,autoscaling.enabled=true
    refuse "a headless Service ignores" --set service.internalTrafficPolicy=Local
    refuse "needs tls.certManager.issuerRef.name" --set tls.certManager.enabled=true
    refuse "needs grpc.mode tls" --set grpc.mode=plaintext,tls.clientCertificates=optional
    refuse "existingSecret and inline" --set clients.tokens.existingSecret=a,clients.tokens.inline=b
    refuse "calls would be cut" --set terminationGracePeriodSeconds=44
    refuse "additional properties 'stream_max' not allowed" --set settings.stream_max=5
    refuse "/settings/http2/streams_max" --set settings.http2.streams_max=0
    refuse "/settings/drain_timeout" --set-string settings.drain_timeout=30
    refuse "/tls/clientCertificates" --set tls.clientCertificates=false
    refuse "additional properties 'replicaCount' not allowed" --set replicaCount=3
    refuse "missing property 'settings'" --set settings=null
}

# What the annotation and the times are computed from.
test_computed() {
    local usual
    usual=$(checksum)
    [[ $(checksum --set replicas=5) == "$usual" ]] || fail "more pods are other pods"
    [[ $(checksum --set settings.streams_max=5) != "$usual" ]] || fail "another setting makes no new pods"
    render "$work/times.yaml" --set settings.lame_duck=1500ms,settings.drain_timeout=2m,preStopSeconds=3
    grep -q 'terminationGracePeriodSeconds: 135$' "$work/times.yaml" || fail "3 s, 1.5 s, 2 min and 10 s are not 135 s"
    # Large whole numbers are floats in YAML's parser.
    render "$work/numbers.yaml" --set-json 'settings={"streams_max":100000000,"traces":{"sample_ratio":0.01}}'
    grep -q 'HASHLANE_STREAMS_MAX: "100000000"' "$work/numbers.yaml" || fail "a large number is not as it was"
    grep -q 'HASHLANE_TRACES__SAMPLE_RATIO: "0.01"' "$work/numbers.yaml" || fail "a ratio is not as it was"
}

# An empty list of peers would admit everybody: then there must be no rule.
test_network_policy() {
    render "$work/policy.yaml" --set-json 'networkPolicy.clients=[],networkPolicy.admin=[]' --set test.enabled=false \
        --show-only templates/networkpolicy.yaml
    conform "$work/policy.yaml" >/dev/null
    if grep -q 'from:' "$work/policy.yaml"; then fail "the network policy has a rule for nobody"; fi
    render "$work/policy.yaml" --set-json 'networkPolicy.clients=[]'
    python3 "$here/manifests.py" "$work/policy.yaml" >/dev/null
}

test_plain() {
    local file
    render_plain "$work/rendered"
    for file in "$work"/rendered/*; do
        diff -u -- "$plain/$(basename -- "$file")" "$file" ||
            fail "deploy/kubernetes/$(basename -- "$file") is not what the chart renders: deploy/tests/helm.sh --write"
    done
    python3 "$here/manifests.py"
    conform "$work"/rendered/*.yaml "$plain/node-client.yaml"
}

# The query of the adapter, with Prometheus' series: pods are as busy as their workers are on average.
test_saturation() {
    python3 "$here/helm/saturation.py" "$root/deploy/prometheus/adapter-values.yaml" "$work"
    promtool test rules "$work/saturation_test.json" >"$work/promtool.txt" 2>&1 ||
        { cat "$work/promtool.txt" >&2; fail "the saturation is not what it should be"; }
    grep -q "name: $(<"$work/saturation_name")\$" "$chart/ci/autoscaling-values.yaml" ||
        fail "ci/autoscaling-values.yaml names another metric than prometheus/adapter-values.yaml"
}

# What the READMEs tell to set.
test_readmes() {
    local line count=0 file
    while read -r line; do
        render /dev/null --set "$line" || fail "the chart refuses --set $line of a README"
        count=$((count + 1))
    done < <(grep -ho -e '--set [^ ]*' -- "$root/deploy/README.md" "$chart/README.md" | cut -d' ' -f2 | sort -u)
    mkdir "$work/readme"
    python3 "$here/helm/readme_values.py" "$chart/README.md" "$work/readme"
    for file in "$work"/readme/*.yaml; do
        render /dev/null --values "$file" || { cat "$file" >&2; fail "the chart refuses values of its README"; }
        count=$((count + 1))
    done
    echo "$count values of READMEs are accepted"
}

# What the chart tells who installs it.
test_notes() {
    local values
    for values in "$chart"/ci/*-values.yaml; do
        run_helm install try "$chart" --dry-run=client --values "$values" >"$work/notes.txt"
        if grep -q '^WARNING' "$work/notes.txt"; then fail "the chart warns of $values"; fi
    done
    run_helm install try "$chart" --dry-run=client --set settings.clients.identity_required=true,resources.limits.cpu=500m \
        --set autoscaling.enabled=true,tls.clientCertificates=required >"$work/notes.txt"
    (($(grep -c '^WARNING' "$work/notes.txt") == 4)) || fail "the chart does not give its four warnings"
}

install
if [[ ${1:-} == --write ]]; then
    python3 "$here/helm/settings_schema.py" --write
    render_plain "$plain"
    exit
fi
program=${HASHLANE_SERVER_BIN:-$bin/hashlane-server}
[[ -x $program ]] || fail "$program is missing: .ci/run release"

python3 "$here/helm/settings_schema.py"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
grep -qxF "appVersion: \"$version\"" "$chart/Chart.yaml" || fail "Chart.yaml has another appVersion than $version"
test_tools
test_refusals
test_computed
test_network_policy
test_plain
test_saturation
test_readmes
test_notes
run_helm package "$chart" --destination "$work" >/dev/null
tar -xzOf "$work"/hashlane-*.tgz hashlane/files/rules.yml | cmp - "$root/deploy/prometheus/rules.yml" ||
    fail "the packaged chart has other rules"

rendered=()
for values in "$chart"/ci/*-values.yaml; do
    name=$(basename -- "$values" -values.yaml)
    run_helm lint --strict --quiet "$chart" --values "$values"
    render "$work/$name.yaml" --values "$values"
    render "$work/$name-alone.yaml" --values "$values" --skip-tests
    score "$name" "$work/$name-alone.yaml"
    rendered+=("$work/$name.yaml")
done
((${#rendered[@]} >= 5)) || fail "fewer than five files of values"
conform "${rendered[@]}"
python3 "$here/manifests.py" "${rendered[@]}"
chmod 755 "$work"
python3 "$here/helm/trial.py" --server "$program" --folder "$work/trial" --client "$plain/node-client.yaml" "${rendered[@]}"
echo "the chart passed in $SECONDS s"
