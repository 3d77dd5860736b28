# shellcheck shell=bash
# Installs, pinned, what clients that others wrote need, and builds them from the contract as it is
# now. Source it after lib.sh. What is installed is kept, and installed anew when a pin changes.

# Checked with this version; the other pins are in python/requirements.txt, go/go.mod, java/pom.xml
# and node/package-lock.json.
# shellcheck disable=SC2154 # lib.sh sets here and root
grpcurl_version=v1.9.4

# shellcheck disable=SC2154
sources=$here/interop
proto=$root/proto
kept=${CARGO_TARGET_DIR:-$root/target}/ci-tools/interop
venv=$kept/venv
tools=$kept/bin
jars=$kept/java
contract=hashlane/v1/hash_service.proto

install_python() { make_venv "$venv" "$sources/python/requirements.txt"; }

# The plugins are tools of the Go module: go.mod and go.sum pin them too.
install_go() {
    mkdir -p "$tools"
    (cd "$sources/go" && GOBIN=$tools go install tool)
}

install_grpcurl() {
    go version -m "$tools/grpcurl" 2>/dev/null |
        grep -qP "^\tmod\tgithub.com/fullstorydev/grpcurl\t\Q$grpcurl_version\E\t" ||
        GOBIN=$tools go install "github.com/fullstorydev/grpcurl/cmd/grpcurl@$grpcurl_version"
}

# Maven fetches, also protoc and its plugin; javac and java do the rest.
install_java() {
    local pins=$sources/java/pom.xml
    cmp -s -- "$pins" "$jars/installed" && return
    rm -rf -- "$jars"
    mvn --quiet --batch-mode --file "$pins" -Dmaven.repo.local="$kept/m2" \
        dependency:copy-dependencies -DoutputDirectory="$jars"
    mv -- "$jars"/protoc-[0-9]*.exe "$jars/protoc"
    mv -- "$jars"/protoc-gen-grpc-java-*.exe "$jars/protoc-gen-grpc-java"
    chmod +x -- "$jars/protoc" "$jars/protoc-gen-grpc-java"
    cp -- "$pins" "$jars/installed"
}

install_node() {
    local pins=$sources/node/package-lock.json
    cmp -s -- "$pins" "$kept/node/installed" && return
    rm -rf -- "$kept/node"
    mkdir -p "$kept/node"
    cp -- "$sources/node/package.json" "$pins" "$kept/node"
    npm ci --silent --no-audit --no-fund --ignore-scripts --prefix "$kept/node"
    cp -- "$pins" "$kept/node/installed"
}

# generate FOLDER: the contract's code in FOLDER/python and FOLDER/go. Go's is a package of a copy of
# the module. Node reads the contract itself.
generate() {
    local package=hashlane.test/interop/hashlanev1
    mkdir -p "$1/python"
    cp -R -- "$sources/go" "$1"
    "$venv/bin/python" -m grpc_tools.protoc --proto_path="$proto" \
        --python_out="$1/python" --grpc_python_out="$1/python" \
        --plugin=protoc-gen-go="$tools/protoc-gen-go" --plugin=protoc-gen-go-grpc="$tools/protoc-gen-go-grpc" \
        --go_out="$1/go" --go_opt="module=hashlane.test/interop,M$contract=$package" \
        --go-grpc_out="$1/go" --go-grpc_opt="module=hashlane.test/interop,M$contract=$package" \
        "$contract"
}

# generate_java FOLDER: the same in FOLDER/java. grpcio's protoc has no Java.
generate_java() {
    mkdir -p "$1/java"
    "$jars/protoc" --proto_path="$proto" \
        --plugin=protoc-gen-grpc-java="$jars/protoc-gen-grpc-java" \
        --java_out="$1/java" --grpc-java_out="@generated=omit:$1/java" \
        "$contract"
}

# build_java FOLDER: all Java of this folder, with what is generated in FOLDER, to FOLDER/classes.
build_java() {
    find "$1/java" "$sources/java" -name '*.java' >"$1/java.files"
    javac -Xlint:all,-processing -Werror -proc:none -implicit:none -d "$1/classes" -cp "$jars/*" @"$1/java.files"
}

# build_load FOLDER: the clients that loadtest/clients/measure.py runs, and the baseline server, after
# generate, and build_java if the client in Java is to run; and their commands, where it looks for them.
build_load() {
    (cd "$1/go" && go build -trimpath -o "$1/load" ./load && go build -trimpath -o "$1/baseline" ./baseline)
    export HASHLANE_CLIENT_GRPC_GO=$1/load
    export HASHLANE_CLIENT_GRPCIO="env PYTHONPATH=$1/python $venv/bin/python -B $sources/python/load.py"
    [[ ! -d $1/classes ]] || export HASHLANE_CLIENT_GRPC_JAVA="java -cp $1/classes:$jars/* hashlane.interop.Load"
    export HASHLANE_BASELINE=$1/baseline
}
